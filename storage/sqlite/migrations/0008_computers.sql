-- +goose Up

-- How strong a computer in a seat is; empty for a person.
ALTER TABLE seats ADD COLUMN level TEXT NOT NULL DEFAULT '';

-- Of a challenge several computers of one level can take seats, whose
-- identifier is that of the level: only people stand in it once.
CREATE TABLE challenge_people_before AS SELECT * FROM challenge_people;
DROP TABLE challenge_people;
CREATE TABLE challenge_people (
    challenge_id INTEGER NOT NULL REFERENCES challenges (id),
    joined       INTEGER NOT NULL CHECK (joined IN (0, 1)),
    place        INTEGER NOT NULL CHECK (place >= 1), -- among those who have joined, or are invited
    person       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    level        TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (challenge_id, joined, place)
) STRICT, WITHOUT ROWID;
INSERT INTO challenge_people (challenge_id, joined, place, person, name)
SELECT challenge_id, joined, place, person, name FROM challenge_people_before;
DROP TABLE challenge_people_before;
CREATE UNIQUE INDEX challenge_people_once ON challenge_people (challenge_id, person) WHERE level = '';

-- Since when a computer is to move; NULL where a person is.
ALTER TABLE matches ADD COLUMN thinking_since INTEGER;
CREATE INDEX matches_thinking ON matches (thinking_since, id) WHERE thinking_since IS NOT NULL;

-- Matches that a computer plays are rated on a list of their own.
ALTER TABLE rating_changes ADD COLUMN list TEXT NOT NULL DEFAULT 'people' CHECK (list IN ('people', 'computer'));

CREATE TABLE ratings_before AS SELECT * FROM ratings;
DROP TABLE ratings;
CREATE TABLE ratings (
    game          TEXT    NOT NULL,
    list          TEXT    NOT NULL CHECK (list IN ('people', 'computer')),
    person        TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    mean          REAL    NOT NULL,
    deviation     REAL    NOT NULL,
    volatility    REAL    NOT NULL,
    matches       INTEGER NOT NULL CHECK (matches >= 1),
    match_id      INTEGER NOT NULL REFERENCES matches (id),
    at            INTEGER NOT NULL,
    settled_until INTEGER,
    PRIMARY KEY (game, list, person)
) STRICT, WITHOUT ROWID;
INSERT INTO ratings (game, list, person, name, mean, deviation, volatility, matches, match_id, at, settled_until)
SELECT game, 'people', person, name, mean, deviation, volatility, matches, match_id, at, settled_until
FROM ratings_before;
DROP TABLE ratings_before;
CREATE INDEX ratings_person ON ratings (person);

-- +goose Down

-- Ratings against computers are forgotten: what they are computed from is not.
CREATE TABLE ratings_before AS SELECT * FROM ratings WHERE list = 'people';
DROP TABLE ratings;
CREATE TABLE ratings (
    game          TEXT    NOT NULL,
    person        TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    mean          REAL    NOT NULL,
    deviation     REAL    NOT NULL,
    volatility    REAL    NOT NULL,
    matches       INTEGER NOT NULL CHECK (matches >= 1),
    match_id      INTEGER NOT NULL REFERENCES matches (id),
    at            INTEGER NOT NULL,
    settled_until INTEGER,
    PRIMARY KEY (game, person)
) STRICT, WITHOUT ROWID;
INSERT INTO ratings (game, person, name, mean, deviation, volatility, matches, match_id, at, settled_until)
SELECT game, person, name, mean, deviation, volatility, matches, match_id, at, settled_until FROM ratings_before;
DROP TABLE ratings_before;
CREATE INDEX ratings_person ON ratings (person);
DELETE FROM rating_changes WHERE list <> 'people';
ALTER TABLE rating_changes DROP COLUMN list;

DROP INDEX matches_thinking;
ALTER TABLE matches DROP COLUMN thinking_since;

-- Of several computers of one level in a challenge one is kept.
CREATE TABLE challenge_people_before AS SELECT * FROM challenge_people;
DROP TABLE challenge_people;
CREATE TABLE challenge_people (
    challenge_id INTEGER NOT NULL REFERENCES challenges (id),
    joined       INTEGER NOT NULL CHECK (joined IN (0, 1)),
    place        INTEGER NOT NULL CHECK (place >= 1), -- among those who have joined, or are invited
    person       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    PRIMARY KEY (challenge_id, joined, place),
    UNIQUE (challenge_id, person)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO challenge_people (challenge_id, joined, place, person, name)
SELECT challenge_id, joined, place, person, name FROM challenge_people_before ORDER BY challenge_id, joined DESC, place;
DROP TABLE challenge_people_before;

ALTER TABLE seats DROP COLUMN level;
