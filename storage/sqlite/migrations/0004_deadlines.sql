-- +goose Up

-- A challenge expires. SQLite cannot change the CHECK of a table, so the table
-- is made anew; what refers to it finds the same identifiers at the end of the
-- transaction.
PRAGMA defer_foreign_keys = ON;

CREATE TABLE challenges_before AS SELECT * FROM challenges;
DROP TABLE challenges;

CREATE TABLE challenges (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    guild           TEXT    NOT NULL,
    channel         TEXT    NOT NULL,
    challenger      TEXT    NOT NULL,
    challenger_name TEXT    NOT NULL,
    seats           INTEGER NOT NULL CHECK (seats >= 2),
    game            TEXT    NOT NULL,
    options         TEXT    NOT NULL,
    first           TEXT    NOT NULL,
    seed            INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'cancelled', 'expired')),
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER, -- NULL where it never does
    answered_at     INTEGER,
    match_id        INTEGER REFERENCES matches (id),
    message         TEXT    NOT NULL,
    revision        INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    shown           INTEGER NOT NULL DEFAULT -1 CHECK (shown >= -1),
    tries           INTEGER NOT NULL CHECK (tries >= 0),
    next_at         INTEGER,
    CHECK ((state = 'open') = (answered_at IS NULL)),
    CHECK (match_id IS NULL OR state = 'accepted')
) STRICT;

-- Those that are there expire as if they had been made with this version: a
-- day after they were made, at a whole second.
INSERT INTO challenges (id, guild, channel, challenger, challenger_name, seats, game, options, first, seed,
                        state, created_at, expires_at, answered_at, match_id, message, revision, shown, tries, next_at)
SELECT id, guild, channel, challenger, challenger_name, seats, game, options, first, seed,
       state, created_at, (created_at / 1000000000 + 86400) * 1000000000, answered_at, match_id, message,
       revision, shown, tries, next_at
FROM challenges_before;

DROP TABLE challenges_before;

CREATE INDEX challenges_behind ON challenges (next_at, id) WHERE shown <> revision;
CREATE INDEX challenges_match ON challenges (match_id) WHERE match_id IS NOT NULL;
CREATE INDEX challenges_expiring ON challenges (expires_at, id) WHERE state = 'open';
CREATE INDEX challenges_made_by ON challenges (challenger, created_at);
CREATE INDEX challenges_made_in ON challenges (channel, created_at);
CREATE INDEX challenges_open_by ON challenges (challenger, expires_at) WHERE state = 'open';
CREATE INDEX challenges_open_in ON challenges (channel, expires_at) WHERE state = 'open';

-- When to look whether whoever is to move has been silent too long: seven days
-- after the newest entry at the latest, for the turn began before it.
ALTER TABLE matches ADD COLUMN deadline INTEGER;
UPDATE matches SET deadline = (newest_at / 1000000000 + 604800) * 1000000000 WHERE ending = '';
CREATE INDEX matches_overdue ON matches (deadline, id) WHERE ending = '' AND deadline IS NOT NULL;

-- +goose Down

DROP INDEX matches_overdue;
ALTER TABLE matches DROP COLUMN deadline;

-- A challenge that has expired counts as withdrawn.
PRAGMA defer_foreign_keys = ON;

CREATE TABLE challenges_before AS SELECT * FROM challenges;
DROP TABLE challenges;

CREATE TABLE challenges (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    guild           TEXT    NOT NULL,
    channel         TEXT    NOT NULL,
    challenger      TEXT    NOT NULL,
    challenger_name TEXT    NOT NULL,
    game            TEXT    NOT NULL,
    options         TEXT    NOT NULL,
    first           TEXT    NOT NULL,
    seed            INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'cancelled')),
    created_at      INTEGER NOT NULL,
    answered_at     INTEGER,
    match_id        INTEGER REFERENCES matches (id),
    message         TEXT    NOT NULL,
    tries           INTEGER NOT NULL CHECK (tries >= 0),
    next_at         INTEGER,
    seats           INTEGER NOT NULL DEFAULT 2 CHECK (seats >= 2),
    revision        INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    shown           INTEGER NOT NULL DEFAULT -1 CHECK (shown >= -1),
    CHECK ((state = 'open') = (answered_at IS NULL)),
    CHECK (match_id IS NULL OR state = 'accepted')
) STRICT;

INSERT INTO challenges (id, guild, channel, challenger, challenger_name, game, options, first, seed, state,
                        created_at, answered_at, match_id, message, tries, next_at, seats, revision, shown)
SELECT id, guild, channel, challenger, challenger_name, game, options, first, seed,
       CASE state WHEN 'expired' THEN 'cancelled' ELSE state END,
       created_at, answered_at, match_id, message, tries, next_at, seats, revision, shown
FROM challenges_before;

DROP TABLE challenges_before;

CREATE INDEX challenges_behind ON challenges (next_at, id) WHERE shown <> revision;
CREATE INDEX challenges_match ON challenges (match_id) WHERE match_id IS NOT NULL;
