-- +goose Up

-- Challenges that ask for another match after one that has ended.
CREATE TABLE rematches (
    challenge_id INTEGER NOT NULL PRIMARY KEY REFERENCES challenges (id),
    match_id     INTEGER NOT NULL REFERENCES matches (id)
) STRICT;

CREATE INDEX rematches_match ON rematches (match_id, challenge_id);

-- What has become of the thread that the match of a challenge is to live in. A
-- challenge without a row wants none.
CREATE TABLE threads (
    challenge_id INTEGER NOT NULL PRIMARY KEY REFERENCES challenges (id),
    state        TEXT    NOT NULL CHECK (state IN ('wanted', 'made', 'refused'))
) STRICT;

-- The match of a channel that ended last.
CREATE INDEX matches_ended_where ON matches (channel, end_number) WHERE end_number IS NOT NULL;

-- +goose Down

DROP INDEX matches_ended_where;
DROP TABLE threads;
DROP TABLE rematches;
