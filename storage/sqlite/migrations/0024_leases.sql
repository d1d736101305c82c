-- +goose Up

-- What one process does at a time; see storage.Lease.
CREATE TABLE leases (
    name   TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    holder TEXT    NOT NULL,
    token  INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    note   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE leases;
