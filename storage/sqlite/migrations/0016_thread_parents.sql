-- +goose Up

-- The channel in which the thread of a challenge was created, so that commands
-- typed there find the match in the thread.
ALTER TABLE threads ADD COLUMN parent TEXT NOT NULL DEFAULT '';
UPDATE threads SET parent = (SELECT channel FROM challenges WHERE id = challenge_id);
CREATE INDEX threads_in ON threads (parent) WHERE state = 'made';

-- +goose Down

DROP INDEX threads_in;
ALTER TABLE threads DROP COLUMN parent;
