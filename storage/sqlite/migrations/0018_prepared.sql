-- +goose Up

-- The turns that people have prepared in running matches, by seat: the
-- conditional turns as text, the number of completed turns that they follow, and
-- the line that is being composed.
CREATE TABLE prepared (
    match_id INTEGER NOT NULL REFERENCES matches (id),
    seat     INTEGER NOT NULL CHECK (seat > 0),
    turns    INTEGER NOT NULL CHECK (turns >= 0),
    text     TEXT    NOT NULL,
    draft    TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE prepared;
