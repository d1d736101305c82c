-- +goose Up

-- The language in which Discord last showed itself to a person, or in which a
-- guild is set: what the bot writes without being asked is in this language.
CREATE TABLE locales (
    id     TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    locale TEXT NOT NULL CHECK (locale <> '')
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE locales;
