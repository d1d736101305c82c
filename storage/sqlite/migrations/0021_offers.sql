-- +goose Up

-- What the players of a running match have offered since its last turn, as text,
-- empty if nothing. A board can notify the people who have to answer the offer with
-- a number, and can be due as an edit of the message of the board before it.
ALTER TABLE matches ADD COLUMN offers TEXT NOT NULL DEFAULT '';
ALTER TABLE boards ADD COLUMN offer INTEGER NOT NULL DEFAULT 0 CHECK (offer >= 0);
ALTER TABLE boards ADD COLUMN edit INTEGER NOT NULL DEFAULT 0 CHECK (edit IN (0, 1));

-- +goose Down

ALTER TABLE boards DROP COLUMN edit;
ALTER TABLE boards DROP COLUMN offer;
ALTER TABLE matches DROP COLUMN offers;
