-- +goose Up

-- What grows with all matches is counted and sorted as it changes, so that no
-- query has to look at all of them.

-- A seat of a match that has ended knows of the match what it is searched by.
ALTER TABLE seats ADD COLUMN ended INTEGER; -- matches.end_number
ALTER TABLE seats ADD COLUMN guild TEXT;
ALTER TABLE seats ADD COLUMN channel TEXT;
ALTER TABLE seats ADD COLUMN game TEXT;
ALTER TABLE seats ADD COLUMN list TEXT; -- on which the match counts

UPDATE seats
SET ended = m.end_number, guild = m.guild, channel = m.channel, game = m.game,
    list = CASE WHEN EXISTS (SELECT 1 FROM seats c WHERE c.match_id = m.id AND c.level <> '') THEN 'computer' ELSE 'people' END
FROM matches m
WHERE m.id = seats.match_id AND m.end_number IS NOT NULL;

DROP INDEX seats_person;
CREATE INDEX seats_running ON seats (person, match_id) WHERE ended IS NULL;
CREATE INDEX seats_ended ON seats (person, ended) WHERE ended IS NOT NULL;
CREATE INDEX seats_ended_guild ON seats (person, guild, ended) WHERE ended IS NOT NULL;
CREATE INDEX seats_ended_channel ON seats (person, channel, ended) WHERE ended IS NOT NULL;
CREATE INDEX seats_results ON seats (person, game, list, ended) WHERE result IS NOT NULL;

-- The number of matches by game and ending, '' while they go on.
CREATE TABLE match_counts (
    game   TEXT    NOT NULL,
    ending TEXT    NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (game, ending)
) STRICT, WITHOUT ROWID;

INSERT INTO match_counts SELECT game, ending, count(*) FROM matches GROUP BY game, ending;

-- The number of a person's ended matches.
CREATE TABLE end_counts (
    person TEXT    NOT NULL PRIMARY KEY,
    n      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO end_counts SELECT person, count(DISTINCT match_id) FROM seats WHERE ended IS NOT NULL GROUP BY person;

-- The ended matches of two people, from the view of each.
CREATE TABLE meetings (
    person   TEXT    NOT NULL,
    other    TEXT    NOT NULL,
    ended    INTEGER NOT NULL,
    match_id INTEGER NOT NULL,
    PRIMARY KEY (person, other, ended)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO meetings
SELECT a.person, b.person, a.ended, a.match_id
FROM seats a JOIN seats b ON b.match_id = a.match_id AND b.person <> a.person
WHERE a.ended IS NOT NULL;

-- Their results: how often the person was placed before, with and behind the other.
CREATE TABLE meeting_counts (
    person TEXT    NOT NULL,
    other  TEXT    NOT NULL,
    ahead  INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    PRIMARY KEY (person, other)
) STRICT, WITHOUT ROWID;

INSERT INTO meeting_counts
SELECT a.person, b.person, sum(a.place < b.place), sum(a.place = b.place), sum(a.place > b.place)
FROM seats a JOIN seats b ON b.match_id = a.match_id AND b.seat <> a.seat
WHERE a.result IS NOT NULL AND b.result IS NOT NULL
GROUP BY a.person, b.person;

-- The results of a person, and the last match that had one.
CREATE TABLE result_counts (
    person TEXT    NOT NULL,
    game   TEXT    NOT NULL,
    list   TEXT    NOT NULL,
    won    INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    drawn  INTEGER NOT NULL,
    lost   INTEGER NOT NULL,
    last   INTEGER NOT NULL,
    PRIMARY KEY (person, game, list)
) STRICT, WITHOUT ROWID;

INSERT INTO result_counts
SELECT person, game, list, sum(result = 'won'), sum(result = 'shared'), sum(result = 'drawn'), sum(result = 'lost'), max(ended)
FROM seats WHERE result IS NOT NULL
GROUP BY person, game, list;

-- The people with a result in a game in a guild, and how many they have.
CREATE TABLE guild_players (
    game   TEXT    NOT NULL,
    person TEXT    NOT NULL,
    guild  TEXT    NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (game, person, guild)
) STRICT, WITHOUT ROWID;

INSERT INTO guild_players
SELECT game, person, guild, count(*) FROM seats WHERE result IS NOT NULL AND guild <> '' GROUP BY game, person, guild;

-- The streak of equal results against people that a person has now, after their
-- last result, and their longest one of wins. RecordResults maintains it.
CREATE TABLE streaks (
    person TEXT    NOT NULL PRIMARY KEY,
    result TEXT    NOT NULL,
    length INTEGER NOT NULL,
    best   INTEGER NOT NULL,
    last   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO streaks
SELECT person, result, length, max(best) OVER (PARTITION BY person), last
FROM (
    SELECT person, result, count(*) AS length, max(ended) AS last, CASE result WHEN 'won' THEN count(*) ELSE 0 END AS best
    FROM (
        SELECT person, result, ended,
               row_number() OVER (PARTITION BY person ORDER BY ended)
               - row_number() OVER (PARTITION BY person, result ORDER BY ended) AS streak
        FROM (
            SELECT person, CASE result WHEN 'shared' THEN 'won' ELSE result END AS result, ended
            FROM seats WHERE result IS NOT NULL AND list = 'people'
        )
    )
    GROUP BY person, result, streak
)
WHERE true
ORDER BY last
ON CONFLICT (person) DO UPDATE SET
    result = excluded.result, length = excluded.length, best = max(streaks.best, excluded.best), last = excluded.last;

-- The number of the match of a change, in the order in which matches ended.
DROP TRIGGER rating_changes_never_change;
ALTER TABLE rating_changes ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE rating_changes SET number = m.end_number FROM matches m WHERE m.id = rating_changes.match_id AND m.end_number IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER rating_changes_never_change BEFORE UPDATE ON rating_changes
BEGIN
    SELECT RAISE (ABORT, 'the history of ratings is append-only');
END;
-- +goose StatementEnd
DROP INDEX rating_changes_person;
CREATE INDEX rating_changes_person ON rating_changes (person, game, list, number);

-- Whether a rating is provisional, as far as ExpireRatings has looked.
ALTER TABLE ratings ADD COLUMN provisional INTEGER NOT NULL DEFAULT 1 CHECK (provisional IN (0, 1));
UPDATE ratings SET provisional = settled_until IS NULL OR settled_until <= at;
CREATE INDEX ratings_expiring ON ratings (settled_until) WHERE provisional = 0;

-- The ratings in the order of the leaderboards, everywhere (guild '') and in the
-- guilds in which the person has played the game. A bucket is a range of means,
-- 8 wide, so that ranks can be counted without looking at every rating.
CREATE TABLE standings (
    game        TEXT    NOT NULL,
    list        TEXT    NOT NULL,
    guild       TEXT    NOT NULL,
    provisional INTEGER NOT NULL,
    bucket      INTEGER NOT NULL,
    mean        REAL    NOT NULL,
    person      TEXT    NOT NULL,
    PRIMARY KEY (game, list, guild, provisional, bucket DESC, mean DESC, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE standing_counts (
    game        TEXT    NOT NULL,
    list        TEXT    NOT NULL,
    guild       TEXT    NOT NULL,
    provisional INTEGER NOT NULL,
    bucket      INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    PRIMARY KEY (game, list, guild, provisional, bucket DESC)
) STRICT, WITHOUT ROWID;

-- rating_places lists where a rating stands.
CREATE VIEW rating_places AS
SELECT r.game, r.list, g.guild, r.provisional,
       CAST ((max(-8000.0, min(8000.0, r.mean)) + 8000.0) / 8.0 AS INTEGER) AS bucket, r.mean, r.person
FROM ratings r JOIN (SELECT game, person, guild FROM guild_players) g ON g.game = r.game AND g.person = r.person
UNION ALL
SELECT game, list, '', provisional, CAST ((max(-8000.0, min(8000.0, mean)) + 8000.0) / 8.0 AS INTEGER), mean, person
FROM ratings;

INSERT INTO standings SELECT * FROM rating_places;
INSERT INTO standing_counts
SELECT game, list, guild, provisional, bucket, count(*) FROM standings GROUP BY game, list, guild, provisional, bucket;

-- +goose StatementBegin
CREATE TRIGGER match_counts_begin AFTER INSERT ON matches
BEGIN
    INSERT INTO match_counts VALUES (NEW.game, NEW.ending, 1)
    ON CONFLICT (game, ending) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

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

-- +goose StatementBegin
CREATE TRIGGER matches_move AFTER UPDATE OF guild, channel ON matches WHEN NEW.ending <> ''
BEGIN
    UPDATE seats SET guild = NEW.guild, channel = NEW.channel WHERE match_id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER seats_result_before AFTER UPDATE OF place, result, guild ON seats WHEN OLD.result IS NOT NULL
BEGIN
    UPDATE result_counts
    SET won = won - (OLD.result = 'won'), shared = shared - (OLD.result = 'shared'),
        drawn = drawn - (OLD.result = 'drawn'), lost = lost - (OLD.result = 'lost'),
        last = coalesce((SELECT max(s.ended) FROM seats s
                         WHERE s.person = OLD.person AND s.game = OLD.game AND s.list = OLD.list AND s.result IS NOT NULL), 0)
    WHERE person = OLD.person AND game = OLD.game AND list = OLD.list;
    UPDATE guild_players SET n = n - 1 WHERE game = OLD.game AND person = OLD.person AND guild = OLD.guild;
    DELETE FROM guild_players WHERE game = OLD.game AND person = OLD.person AND guild = OLD.guild AND n = 0;
    UPDATE meeting_counts
    SET ahead = ahead - o.lower, level = level - o.equal, behind = behind - o.higher
    FROM (SELECT person, sum(OLD.place < place) AS lower, sum(OLD.place = place) AS equal, sum(OLD.place > place) AS higher
          FROM seats WHERE match_id = OLD.match_id AND seat <> OLD.seat AND result IS NOT NULL GROUP BY person) AS o
    WHERE meeting_counts.person = OLD.person AND meeting_counts.other = o.person;
    UPDATE meeting_counts
    SET ahead = ahead - o.higher, level = level - o.equal, behind = behind - o.lower
    FROM (SELECT person, sum(OLD.place < place) AS lower, sum(OLD.place = place) AS equal, sum(OLD.place > place) AS higher
          FROM seats WHERE match_id = OLD.match_id AND seat <> OLD.seat AND result IS NOT NULL GROUP BY person) AS o
    WHERE meeting_counts.person = o.person AND meeting_counts.other = OLD.person;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER seats_result_after AFTER UPDATE OF place, result, guild ON seats WHEN NEW.result IS NOT NULL
BEGIN
    INSERT INTO result_counts
    VALUES (NEW.person, NEW.game, NEW.list, NEW.result = 'won', NEW.result = 'shared', NEW.result = 'drawn', NEW.result = 'lost', NEW.ended)
    ON CONFLICT (person, game, list) DO UPDATE SET
        won = won + excluded.won, shared = shared + excluded.shared, drawn = drawn + excluded.drawn, lost = lost + excluded.lost,
        last = max(last, excluded.last);
    INSERT INTO guild_players SELECT NEW.game, NEW.person, NEW.guild, 1 WHERE NEW.guild <> ''
    ON CONFLICT (game, person, guild) DO UPDATE SET n = n + 1;
    INSERT INTO meeting_counts
    SELECT NEW.person, o.person, NEW.place < o.place, NEW.place = o.place, NEW.place > o.place
    FROM seats o WHERE o.match_id = NEW.match_id AND o.seat <> NEW.seat AND o.result IS NOT NULL
    ON CONFLICT (person, other) DO UPDATE SET ahead = ahead + excluded.ahead, level = level + excluded.level, behind = behind + excluded.behind;
    INSERT INTO meeting_counts
    SELECT o.person, NEW.person, o.place < NEW.place, NEW.place = o.place, o.place > NEW.place
    FROM seats o WHERE o.match_id = NEW.match_id AND o.seat <> NEW.seat AND o.result IS NOT NULL
    ON CONFLICT (person, other) DO UPDATE SET ahead = ahead + excluded.ahead, level = level + excluded.level, behind = behind + excluded.behind;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ratings_insert AFTER INSERT ON ratings
BEGIN
    INSERT INTO standings SELECT * FROM rating_places p WHERE p.game = NEW.game AND p.list = NEW.list AND p.person = NEW.person;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ratings_update AFTER UPDATE OF mean, provisional ON ratings
WHEN OLD.mean <> NEW.mean OR OLD.provisional <> NEW.provisional
BEGIN
    DELETE FROM standings
    WHERE game = OLD.game AND list = OLD.list AND provisional = OLD.provisional AND mean = OLD.mean AND person = OLD.person
      AND bucket = CAST ((max(-8000.0, min(8000.0, OLD.mean)) + 8000.0) / 8.0 AS INTEGER)
      AND guild IN (SELECT '' UNION ALL SELECT guild FROM guild_players WHERE game = OLD.game AND person = OLD.person);
    INSERT INTO standings SELECT * FROM rating_places p WHERE p.game = NEW.game AND p.list = NEW.list AND p.person = NEW.person;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ratings_delete BEFORE DELETE ON ratings
BEGIN
    DELETE FROM standings
    WHERE game = OLD.game AND list = OLD.list AND provisional = OLD.provisional AND mean = OLD.mean AND person = OLD.person
      AND bucket = CAST ((max(-8000.0, min(8000.0, OLD.mean)) + 8000.0) / 8.0 AS INTEGER)
      AND guild IN (SELECT '' UNION ALL SELECT guild FROM guild_players WHERE game = OLD.game AND person = OLD.person);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER guild_players_insert AFTER INSERT ON guild_players
BEGIN
    INSERT INTO standings SELECT * FROM rating_places p WHERE p.game = NEW.game AND p.person = NEW.person AND p.guild = NEW.guild;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER guild_players_delete BEFORE DELETE ON guild_players
BEGIN
    DELETE FROM standings
    WHERE (game, list, guild, provisional, bucket, mean, person)
       IN (SELECT p.game, p.list, p.guild, p.provisional, p.bucket, p.mean, p.person
           FROM rating_places p WHERE p.game = OLD.game AND p.person = OLD.person AND p.guild = OLD.guild);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER standings_insert AFTER INSERT ON standings
BEGIN
    INSERT INTO standing_counts VALUES (NEW.game, NEW.list, NEW.guild, NEW.provisional, NEW.bucket, 1)
    ON CONFLICT (game, list, guild, provisional, bucket) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER standings_delete AFTER DELETE ON standings
BEGIN
    UPDATE standing_counts SET n = n - 1
    WHERE game = OLD.game AND list = OLD.list AND guild = OLD.guild AND provisional = OLD.provisional AND bucket = OLD.bucket;
END;
-- +goose StatementEnd

-- +goose Down

DROP TRIGGER standings_delete;
DROP TRIGGER standings_insert;
DROP TRIGGER guild_players_delete;
DROP TRIGGER guild_players_insert;
DROP TRIGGER ratings_delete;
DROP TRIGGER ratings_update;
DROP TRIGGER ratings_insert;
DROP TRIGGER seats_result_after;
DROP TRIGGER seats_result_before;
DROP TRIGGER matches_move;
DROP TRIGGER matches_end;
DROP TRIGGER match_counts_begin;
DROP VIEW rating_places;
DROP TABLE standing_counts;
DROP TABLE standings;
DROP INDEX ratings_expiring;
ALTER TABLE ratings DROP COLUMN provisional;
DROP INDEX rating_changes_person;
ALTER TABLE rating_changes DROP COLUMN number;
CREATE INDEX rating_changes_person ON rating_changes (person, game);
DROP TABLE streaks;
DROP TABLE guild_players;
DROP TABLE result_counts;
DROP TABLE meeting_counts;
DROP TABLE meetings;
DROP TABLE end_counts;
DROP TABLE match_counts;
DROP INDEX seats_results;
DROP INDEX seats_ended_channel;
DROP INDEX seats_ended_guild;
DROP INDEX seats_ended;
DROP INDEX seats_running;
CREATE INDEX seats_person ON seats (person, match_id);
ALTER TABLE seats DROP COLUMN list;
ALTER TABLE seats DROP COLUMN game;
ALTER TABLE seats DROP COLUMN channel;
ALTER TABLE seats DROP COLUMN guild;
ALTER TABLE seats DROP COLUMN ended;
