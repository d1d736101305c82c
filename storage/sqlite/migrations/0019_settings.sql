-- +goose Up

ALTER TABLE preferences ADD COLUMN theme TEXT NOT NULL DEFAULT '';
ALTER TABLE preferences ADD COLUMN locale TEXT NOT NULL DEFAULT '';
-- The quiet hours of a person, in their time zone; none if both are equal.
ALTER TABLE preferences ADD COLUMN zone TEXT NOT NULL DEFAULT '';
ALTER TABLE preferences ADD COLUMN quiet_from INTEGER NOT NULL DEFAULT 0 CHECK (quiet_from BETWEEN 0 AND 23);
ALTER TABLE preferences ADD COLUMN quiet_to INTEGER NOT NULL DEFAULT 0 CHECK (quiet_to BETWEEN 0 AND 23);

-- When the clocks of a person stand still.
CREATE TABLE vacations (
    person TEXT    NOT NULL CHECK (person <> ''),
    began  INTEGER NOT NULL,
    ended  INTEGER NOT NULL CHECK (ended > began),
    PRIMARY KEY (person, began)
) STRICT, WITHOUT ROWID;

CREATE TABLE guild_settings (
    guild       TEXT    NOT NULL PRIMARY KEY CHECK (guild <> ''),
    clock       TEXT    NOT NULL,
    unrated     INTEGER NOT NULL CHECK (unrated IN (0, 1)),
    no_threads  INTEGER NOT NULL CHECK (no_threads IN (0, 1)),
    theme       TEXT    NOT NULL,
    locale      TEXT    NOT NULL,
    leaderboard TEXT    NOT NULL CHECK (leaderboard IN ('', 'players', 'nobody'))
) STRICT, WITHOUT ROWID;

-- The channels of a guild in which matches may be started; all without any.
CREATE TABLE guild_channels (
    guild   TEXT NOT NULL CHECK (guild <> ''),
    channel TEXT NOT NULL CHECK (channel <> ''),
    PRIMARY KEY (guild, channel)
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE guild_channels;
DROP TABLE guild_settings;
DROP TABLE vacations;
ALTER TABLE preferences DROP COLUMN quiet_to;
ALTER TABLE preferences DROP COLUMN quiet_from;
ALTER TABLE preferences DROP COLUMN zone;
ALTER TABLE preferences DROP COLUMN locale;
ALTER TABLE preferences DROP COLUMN theme;
