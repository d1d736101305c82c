-- +goose Up

-- The clock of a match, as engine/match writes it; empty for none.
ALTER TABLE challenges ADD COLUMN clock TEXT NOT NULL DEFAULT '';
ALTER TABLE matches ADD COLUMN clock TEXT NOT NULL DEFAULT '';
-- Whether the player to move has been reminded in this turn.
ALTER TABLE matches ADD COLUMN reminded INTEGER NOT NULL DEFAULT 0 CHECK (reminded IN (0, 1));
CREATE INDEX matches_clock ON matches (id) WHERE clock <> '' AND ending = '';

ALTER TABLE preferences ADD COLUMN reminders TEXT NOT NULL DEFAULT '' CHECK (reminders IN ('', 'direct', 'none'));

-- When the bot was last in contact with Discord, and when it was not for long.
CREATE TABLE contact (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;
CREATE TABLE outages (
    began INTEGER NOT NULL,
    ended INTEGER PRIMARY KEY CHECK (ended > began)
) STRICT;

-- +goose Down

DROP TABLE outages;
DROP TABLE contact;
ALTER TABLE preferences DROP COLUMN reminders;
DROP INDEX matches_clock;
ALTER TABLE matches DROP COLUMN reminded;
ALTER TABLE matches DROP COLUMN clock;
ALTER TABLE challenges DROP COLUMN clock;
