-- +goose Up

-- Private pictures show the board from the person's own side.
ALTER TABLE preferences ADD COLUMN own_side INTEGER NOT NULL DEFAULT 0 CHECK (own_side IN (0, 1));

-- +goose Down

ALTER TABLE preferences DROP COLUMN own_side;
