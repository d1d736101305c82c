-- +goose Up

-- Whom a person wants to have nothing to do with, named as at that time.
CREATE TABLE blocks (
    person  TEXT    NOT NULL CHECK (person <> ''),
    blocked TEXT    NOT NULL CHECK (blocked <> '' AND blocked <> person),
    name    TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (person, blocked)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_blocked ON blocks (blocked);

-- A posted board that names a person whose data was deleted has to be edited.
ALTER TABLE boards ADD COLUMN outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1));
DROP INDEX boards_behind;
CREATE INDEX boards_behind ON boards (next_at, id)
    WHERE (state IN ('due', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL) OR (state = 'posted' AND outdated = 1));

CREATE INDEX challenge_people_person ON challenge_people (person);

-- While this has a row, which is only within the transaction of ForgetPerson, a
-- person can be replaced in what otherwise never changes.
CREATE TABLE forgetting (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;

DROP TRIGGER entries_never_change;
-- +goose StatementBegin
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
WHEN (OLD.match_id, OLD.seq, OLD.kind, OLD.seat, OLD.text, OLD.at) IS NOT (NEW.match_id, NEW.seq, NEW.kind, NEW.seat, NEW.text, NEW.at)
  OR NEW.digest IS NULL
  OR ((OLD.digest IS NOT NULL OR OLD.interaction <> NEW.interaction) AND NOT EXISTS (SELECT 1 FROM forgetting))
BEGIN
    SELECT RAISE (ABORT, 'the log of a match is append-only');
END;
-- +goose StatementEnd

DROP TRIGGER rating_changes_never_change;
-- +goose StatementBegin
CREATE TRIGGER rating_changes_never_change BEFORE UPDATE ON rating_changes
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN
    SELECT RAISE (ABORT, 'the history of ratings is append-only');
END;
-- +goose StatementEnd

-- +goose Down

DROP TRIGGER rating_changes_never_change;
-- +goose StatementBegin
CREATE TRIGGER rating_changes_never_change BEFORE UPDATE ON rating_changes
BEGIN
    SELECT RAISE (ABORT, 'the history of ratings is append-only');
END;
-- +goose StatementEnd

DROP TRIGGER entries_never_change;
-- +goose StatementBegin
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
WHEN OLD.digest IS NOT NULL OR NEW.digest IS NULL
  OR (OLD.match_id, OLD.seq, OLD.kind, OLD.seat, OLD.text, OLD.at, OLD.interaction)
     IS NOT (NEW.match_id, NEW.seq, NEW.kind, NEW.seat, NEW.text, NEW.at, NEW.interaction)
BEGIN
    SELECT RAISE (ABORT, 'the log of a match is append-only');
END;
-- +goose StatementEnd

DROP TABLE forgetting;
DROP INDEX challenge_people_person;
DROP INDEX boards_behind;
ALTER TABLE boards DROP COLUMN outdated;
CREATE INDEX boards_behind ON boards (next_at, id)
    WHERE (state IN ('due', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL));
DROP TABLE blocks;
