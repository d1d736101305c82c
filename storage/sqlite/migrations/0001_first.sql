-- +goose Up

-- Times are nanoseconds since 1970 in UTC. NULL is the zero time where a
-- column may have none. Seeds are 64 bits without a sign, kept as they are.

CREATE TABLE challenges (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    guild           TEXT    NOT NULL,
    channel         TEXT    NOT NULL,
    challenger      TEXT    NOT NULL,
    challenger_name TEXT    NOT NULL,
    opponent        TEXT    NOT NULL,
    opponent_name   TEXT    NOT NULL,
    game            TEXT    NOT NULL,
    options         TEXT    NOT NULL,
    first           TEXT    NOT NULL,
    seed            INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'cancelled')),
    created_at      INTEGER NOT NULL,
    answered_at     INTEGER,
    match_id        INTEGER REFERENCES matches (id),
    message         TEXT    NOT NULL,
    shown_state     TEXT    NOT NULL CHECK (shown_state IN ('', 'open', 'accepted', 'declined', 'cancelled')),
    tries           INTEGER NOT NULL CHECK (tries >= 0),
    next_at         INTEGER,
    CHECK ((state = 'open') = (answered_at IS NULL)),
    CHECK (match_id IS NULL OR state = 'accepted')
) STRICT;

CREATE INDEX challenges_behind ON challenges (next_at, id) WHERE shown_state <> state;
CREATE INDEX challenges_match ON challenges (match_id) WHERE match_id IS NOT NULL;

CREATE TABLE matches (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    challenge_id INTEGER REFERENCES challenges (id),
    guild        TEXT    NOT NULL,
    channel      TEXT    NOT NULL,
    game         TEXT    NOT NULL CHECK (game <> ''),
    rules        INTEGER NOT NULL,
    options      TEXT    NOT NULL,
    seed         INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    seq          INTEGER NOT NULL DEFAULT 0 CHECK (seq >= 0),
    shown        INTEGER NOT NULL DEFAULT -1 CHECK (shown >= -1),
    ending       TEXT    NOT NULL DEFAULT '',
    ended_at     INTEGER,
    -- newest_at is the time of the newest entry, or of the match itself while
    -- it has none: what lists of running matches are ordered by.
    newest_at    INTEGER NOT NULL,
    CHECK ((ending = '') = (ended_at IS NULL))
) STRICT;

CREATE INDEX matches_running ON matches (created_at, id) WHERE ending = '';
CREATE INDEX matches_running_in ON matches (channel, newest_at, id) WHERE ending = '';
CREATE INDEX matches_challenge ON matches (challenge_id) WHERE challenge_id IS NOT NULL;

CREATE TABLE seats (
    match_id INTEGER NOT NULL REFERENCES matches (id),
    seat     INTEGER NOT NULL CHECK (seat >= 1),
    person   TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX seats_person ON seats (person, match_id);

-- The log. Nothing in it is ever changed or removed.
CREATE TABLE entries (
    match_id    INTEGER NOT NULL REFERENCES matches (id),
    seq         INTEGER NOT NULL CHECK (seq >= 1),
    kind        TEXT    NOT NULL CHECK (kind <> ''),
    seat        INTEGER NOT NULL CHECK (seat >= 0),
    text        TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    interaction TEXT    NOT NULL,
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE (ABORT, 'the log of a match is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
BEGIN
    SELECT RAISE (ABORT, 'the log of a match is append-only');
END;
-- +goose StatementEnd

CREATE TABLE boards (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id INTEGER NOT NULL REFERENCES matches (id),
    seq      INTEGER NOT NULL CHECK (seq >= 0),
    guild    TEXT    NOT NULL,
    channel  TEXT    NOT NULL,
    message  TEXT    NOT NULL,
    notify   INTEGER NOT NULL CHECK (notify IN (0, 1)),
    state    TEXT    NOT NULL CHECK (state IN ('due', 'posted', 'stale', 'collapsed', 'skipped')),
    tries    INTEGER NOT NULL CHECK (tries >= 0),
    next_at  INTEGER
) STRICT;

CREATE INDEX boards_match ON boards (match_id, id);
CREATE UNIQUE INDEX boards_current ON boards (match_id) WHERE state IN ('due', 'posted');
CREATE INDEX boards_behind ON boards (next_at, id) WHERE state IN ('due', 'stale');

CREATE TABLE applied (
    interaction  TEXT    NOT NULL PRIMARY KEY CHECK (interaction <> ''),
    at           INTEGER NOT NULL,
    match_id     INTEGER REFERENCES matches (id),
    challenge_id INTEGER REFERENCES challenges (id),
    seq          INTEGER NOT NULL CHECK (seq >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX applied_at ON applied (at);

-- +goose Down

DROP TABLE applied;
DROP TABLE boards;
DROP TABLE entries;
DROP TABLE seats;
DROP TABLE matches;
DROP TABLE challenges;
