-- +goose Up

-- A skipped board with a time is to be looked for in its channel. Those that
-- were skipped until now have none.
DROP INDEX boards_behind;
CREATE INDEX boards_behind ON boards (next_at, id)
    WHERE (state IN ('due', 'stale') OR (state = 'skipped' AND next_at IS NOT NULL));
CREATE INDEX challenges_open ON challenges (created_at, id) WHERE state = 'open';

UPDATE boards SET next_at = NULL WHERE state = 'skipped';

-- +goose Down

DROP INDEX challenges_open;
DROP INDEX boards_behind;
CREATE INDEX boards_behind ON boards (next_at, id) WHERE state IN ('due', 'stale');
