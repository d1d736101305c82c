-- +goose Up

-- A challenge has as many seats as are to play, and people: those who have
-- joined, and those for whom a seat is kept. Until now there were two seats,
-- the challenger's and the one that is kept for the opponent.
CREATE TABLE challenge_people (
    challenge_id INTEGER NOT NULL REFERENCES challenges (id),
    joined       INTEGER NOT NULL CHECK (joined IN (0, 1)),
    place        INTEGER NOT NULL CHECK (place >= 1), -- among those who have joined, or are invited
    person       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    PRIMARY KEY (challenge_id, joined, place),
    UNIQUE (challenge_id, person)
) STRICT, WITHOUT ROWID;

INSERT INTO challenge_people (challenge_id, joined, place, person, name)
SELECT id, 1, 1, challenger, challenger_name FROM challenges;

INSERT INTO challenge_people (challenge_id, joined, place, person, name)
SELECT id, state = 'accepted', CASE state WHEN 'accepted' THEN 2 ELSE 1 END, opponent, opponent_name FROM challenges;

ALTER TABLE challenges ADD COLUMN seats INTEGER NOT NULL DEFAULT 2 CHECK (seats >= 2);

-- What the message shows is told by the number of changes instead of by the
-- state: a challenge changes in other ways, too.
ALTER TABLE challenges ADD COLUMN revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0);
ALTER TABLE challenges ADD COLUMN shown INTEGER NOT NULL DEFAULT -1 CHECK (shown >= -1);

UPDATE challenges
SET revision = state <> 'open',
    shown = CASE shown_state WHEN '' THEN -1 WHEN state THEN state <> 'open' ELSE (state <> 'open') - 1 END;

DROP INDEX challenges_behind;
CREATE INDEX challenges_behind ON challenges (next_at, id) WHERE shown <> revision;

ALTER TABLE challenges DROP COLUMN shown_state;
ALTER TABLE challenges DROP COLUMN opponent;
ALTER TABLE challenges DROP COLUMN opponent_name;

-- +goose Down

-- Of the people of a challenge the first two are kept.
ALTER TABLE challenges ADD COLUMN opponent TEXT NOT NULL DEFAULT '';
ALTER TABLE challenges ADD COLUMN opponent_name TEXT NOT NULL DEFAULT '';
ALTER TABLE challenges ADD COLUMN shown_state TEXT NOT NULL DEFAULT ''
    CHECK (shown_state IN ('', 'open', 'accepted', 'declined', 'cancelled'));

UPDATE challenges
SET shown_state = CASE WHEN shown = -1 THEN '' WHEN shown = revision THEN state ELSE 'open' END;

UPDATE challenges
SET opponent = p.person, opponent_name = p.name
FROM challenge_people p
WHERE p.challenge_id = challenges.id AND p.joined = (state = 'accepted') AND p.place = 1 + (state = 'accepted');

DROP INDEX challenges_behind;
CREATE INDEX challenges_behind ON challenges (next_at, id) WHERE shown_state <> state;

ALTER TABLE challenges DROP COLUMN shown;
ALTER TABLE challenges DROP COLUMN revision;
ALTER TABLE challenges DROP COLUMN seats;
DROP TABLE challenge_people;
