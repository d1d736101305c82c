-- +goose Up

-- What a person has chosen about their own play. Who has chosen nothing has
-- no row.
CREATE TABLE preferences (
    person   TEXT    NOT NULL PRIMARY KEY CHECK (person <> ''),
    ends     INTEGER NOT NULL CHECK (ends IN (0, 1)),
    confirms INTEGER NOT NULL CHECK (confirms IN (0, 1))
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE preferences;
