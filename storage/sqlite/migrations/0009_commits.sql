-- +goose Up

-- The number of transactions that have changed something. It tells which
-- write-ahead log continues which file: every transaction in the log has a
-- number, and so has the file. One row, of one column that is the identifier
-- of the row, so that it can be read from a page of the log.
CREATE TABLE commits (
    n INTEGER PRIMARY KEY
) STRICT;

INSERT INTO commits (n) VALUES (1);

-- +goose Down

DROP TABLE commits;
