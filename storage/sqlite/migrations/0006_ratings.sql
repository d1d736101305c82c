-- +goose Up

-- Matches that ended before there were ratings are not rated.
ALTER TABLE challenges ADD COLUMN unrated INTEGER NOT NULL DEFAULT 0 CHECK (unrated IN (0, 1));
ALTER TABLE matches ADD COLUMN unrated INTEGER NOT NULL DEFAULT 0 CHECK (unrated IN (0, 1));
UPDATE matches SET unrated = 1 WHERE ending <> '';

-- The order in which matches ended, which is the order in which they are
-- rated: clocks can go back, this cannot.
ALTER TABLE matches ADD COLUMN end_number INTEGER CHECK (end_number >= 1);
UPDATE matches
SET end_number = e.number
FROM (SELECT id, row_number() OVER (ORDER BY ended_at, id) AS number FROM matches WHERE ending <> '') AS e
WHERE e.id = matches.id;
CREATE UNIQUE INDEX matches_ended ON matches (end_number) WHERE end_number IS NOT NULL;
CREATE INDEX matches_ended_in ON matches (guild, game) WHERE end_number IS NOT NULL;

-- How a match ended for a seat; NULL while it goes on, where it was called
-- off, and where it ended before results were kept.
ALTER TABLE seats ADD COLUMN place INTEGER CHECK (place >= 1);
ALTER TABLE seats ADD COLUMN result TEXT CHECK (result IN ('won', 'shared', 'drawn', 'lost'));

-- What each rated match did to each rating. Rows are added and never changed;
-- all can be computed anew from the logs.
CREATE TABLE rating_changes (
    match_id          INTEGER NOT NULL REFERENCES matches (id),
    seat              INTEGER NOT NULL CHECK (seat >= 1),
    person            TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    game              TEXT    NOT NULL,
    place             INTEGER NOT NULL CHECK (place >= 1),
    at                INTEGER NOT NULL,
    mean_before       REAL    NOT NULL,
    deviation_before  REAL    NOT NULL,
    volatility_before REAL    NOT NULL,
    mean              REAL    NOT NULL,
    deviation         REAL    NOT NULL,
    volatility        REAL    NOT NULL,
    settled_until     INTEGER,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX rating_changes_person ON rating_changes (person, game);

-- +goose StatementBegin
CREATE TRIGGER rating_changes_never_change BEFORE UPDATE ON rating_changes
BEGIN
    SELECT RAISE (ABORT, 'the history of ratings is append-only');
END;
-- +goose StatementEnd

-- The present ratings: for each person and game what the last row of
-- rating_changes says.
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

CREATE INDEX ratings_person ON ratings (person);

-- +goose Down

DROP TABLE ratings;
DROP TABLE rating_changes;
ALTER TABLE seats DROP COLUMN result;
ALTER TABLE seats DROP COLUMN place;
DROP INDEX matches_ended_in;
DROP INDEX matches_ended;
ALTER TABLE matches DROP COLUMN end_number;
ALTER TABLE matches DROP COLUMN unrated;
ALTER TABLE challenges DROP COLUMN unrated;
