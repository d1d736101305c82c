-- +goose Up

-- More of what can become of a thread: the guild has too many, it was locked,
-- or it was archived after its match.
CREATE TABLE threads_new (
    challenge_id INTEGER NOT NULL PRIMARY KEY REFERENCES challenges (id),
    state        TEXT    NOT NULL CHECK (state IN ('wanted', 'made', 'refused', 'full', 'locked', 'archived'))
) STRICT;
INSERT INTO threads_new (challenge_id, state) SELECT challenge_id, state FROM threads;
DROP TABLE threads;
ALTER TABLE threads_new RENAME TO threads;

-- Discord archives the threads of matches that have ended before this by itself.
UPDATE threads SET state = 'archived'
WHERE state = 'made' AND challenge_id IN (SELECT challenge_id FROM matches WHERE ending <> '');

CREATE INDEX threads_made ON threads (challenge_id) WHERE state = 'made';

-- +goose Down

DROP INDEX threads_made;
CREATE TABLE threads_old (
    challenge_id INTEGER NOT NULL PRIMARY KEY REFERENCES challenges (id),
    state        TEXT    NOT NULL CHECK (state IN ('wanted', 'made', 'refused'))
) STRICT;
INSERT INTO threads_old (challenge_id, state)
SELECT challenge_id, CASE state WHEN 'archived' THEN 'made' WHEN 'full' THEN 'refused' WHEN 'locked' THEN 'refused' ELSE state END FROM threads;
DROP TABLE threads;
ALTER TABLE threads_old RENAME TO threads;
