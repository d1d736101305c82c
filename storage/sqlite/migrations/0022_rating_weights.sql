-- +goose Up

-- How much of a match counted for the rating: less than 1 if its people have
-- played many rated matches with each other lately.
ALTER TABLE rating_changes ADD COLUMN weight REAL NOT NULL DEFAULT 1 CHECK (weight > 0 AND weight <= 1);

-- What was rated lately.
CREATE INDEX rating_changes_at ON rating_changes (person, game, list, at);

-- +goose Down

DROP INDEX rating_changes_at;
ALTER TABLE rating_changes DROP COLUMN weight;
