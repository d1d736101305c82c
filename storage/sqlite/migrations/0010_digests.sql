-- +goose Up

-- Digests of the settings of a match and of its log up to an entry. Those of
-- older matches are filled in afterwards, by fillDigests.
ALTER TABLE matches ADD COLUMN root BLOB CHECK (length(root) = 16);
ALTER TABLE entries ADD COLUMN digest BLOB CHECK (length(digest) = 16);
CREATE INDEX matches_without_root ON matches (id) WHERE root IS NULL;

-- A missing digest may be added; nothing else of the log is ever changed.
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

-- +goose Down

DROP TRIGGER entries_never_change;
-- +goose StatementBegin
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE (ABORT, 'the log of a match is append-only');
END;
-- +goose StatementEnd
DROP INDEX matches_without_root;
ALTER TABLE entries DROP COLUMN digest;
ALTER TABLE matches DROP COLUMN root;
