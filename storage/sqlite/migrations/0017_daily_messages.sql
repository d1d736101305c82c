-- +goose Up

-- The direct message that a person gets once a day, if it is their turn in any
-- match: when the next one is due, and what is known of attempts to send it.
CREATE TABLE daily_messages (
    person        TEXT    NOT NULL PRIMARY KEY CHECK (person <> ''),
    due_at        INTEGER NOT NULL,
    next_at       INTEGER NOT NULL,
    tries         INTEGER NOT NULL CHECK (tries >= 0),
    sending_since INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_messages_next ON daily_messages (next_at, person);

-- +goose Down

DROP TABLE daily_messages;
