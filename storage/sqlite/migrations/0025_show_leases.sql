-- +goose Up

-- Who shows a match or a challenge in Discord, where processes share a database; see
-- storage.ShowLease.
ALTER TABLE matches ADD COLUMN show_token INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN show_until INTEGER;
ALTER TABLE challenges ADD COLUMN show_token INTEGER NOT NULL DEFAULT 0;
ALTER TABLE challenges ADD COLUMN show_until INTEGER;

-- +goose Down

ALTER TABLE challenges DROP COLUMN show_until;
ALTER TABLE challenges DROP COLUMN show_token;
ALTER TABLE matches DROP COLUMN show_until;
ALTER TABLE matches DROP COLUMN show_token;
