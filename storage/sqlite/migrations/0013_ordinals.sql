-- +goose Up

-- The position of a seat's match among the ended matches of its person, from 1
-- on. Any page of them is a range of it. It never changes, because matches only
-- end after all others.
ALTER TABLE seats ADD COLUMN ordinal INTEGER;

UPDATE seats
SET ordinal = o.ordinal
FROM (SELECT match_id, seat, dense_rank() OVER (PARTITION BY person ORDER BY ended) AS ordinal FROM seats WHERE ended IS NOT NULL) AS o
WHERE seats.match_id = o.match_id AND seats.seat = o.seat;

DROP INDEX seats_ended;
CREATE INDEX seats_ended ON seats (person, ordinal) WHERE ordinal IS NOT NULL;

DROP TRIGGER matches_end;
-- +goose StatementBegin
CREATE TRIGGER matches_end AFTER UPDATE OF ending ON matches WHEN OLD.ending <> NEW.ending
BEGIN
    UPDATE match_counts SET n = n - 1 WHERE game = OLD.game AND ending = OLD.ending;
    INSERT INTO match_counts VALUES (NEW.game, NEW.ending, 1)
    ON CONFLICT (game, ending) DO UPDATE SET n = n + 1;
    UPDATE seats
    SET ended = NEW.end_number, ordinal = 1 + coalesce((SELECT n FROM end_counts WHERE person = seats.person), 0),
        guild = NEW.guild, channel = NEW.channel, game = NEW.game,
        list = CASE WHEN EXISTS (SELECT 1 FROM seats c WHERE c.match_id = NEW.id AND c.level <> '') THEN 'computer' ELSE 'people' END
    WHERE match_id = NEW.id;
    INSERT INTO end_counts SELECT DISTINCT person, 1 FROM seats WHERE match_id = NEW.id
    ON CONFLICT (person) DO UPDATE SET n = n + 1;
    INSERT OR IGNORE INTO meetings
    SELECT a.person, b.person, a.ended, a.match_id
    FROM seats a JOIN seats b ON b.match_id = a.match_id AND b.person <> a.person
    WHERE a.match_id = NEW.id;
END;
-- +goose StatementEnd

-- +goose Down

DROP TRIGGER matches_end;
-- +goose StatementBegin
CREATE TRIGGER matches_end AFTER UPDATE OF ending ON matches WHEN OLD.ending <> NEW.ending
BEGIN
    UPDATE match_counts SET n = n - 1 WHERE game = OLD.game AND ending = OLD.ending;
    INSERT INTO match_counts VALUES (NEW.game, NEW.ending, 1)
    ON CONFLICT (game, ending) DO UPDATE SET n = n + 1;
    UPDATE seats
    SET ended = NEW.end_number, guild = NEW.guild, channel = NEW.channel, game = NEW.game,
        list = CASE WHEN EXISTS (SELECT 1 FROM seats c WHERE c.match_id = NEW.id AND c.level <> '') THEN 'computer' ELSE 'people' END
    WHERE match_id = NEW.id;
    INSERT INTO end_counts SELECT DISTINCT person, 1 FROM seats WHERE match_id = NEW.id
    ON CONFLICT (person) DO UPDATE SET n = n + 1;
    INSERT OR IGNORE INTO meetings
    SELECT a.person, b.person, a.ended, a.match_id
    FROM seats a JOIN seats b ON b.match_id = a.match_id AND b.person <> a.person
    WHERE a.match_id = NEW.id;
END;
-- +goose StatementEnd
DROP INDEX seats_ended;
ALTER TABLE seats DROP COLUMN ordinal;
CREATE INDEX seats_ended ON seats (person, ended) WHERE ended IS NOT NULL;
