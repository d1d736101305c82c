-- +goose Up

-- Times are nanoseconds since 1970 in UTC. NULL is the zero time where a column may
-- have none. Seeds are 64 bits without a sign, kept as they are. Flags are 0 and 1.

-- attempts and next_attempt are about showing the challenge, see storage.Challenge.
-- lease_token and lease_until say who shows it in Discord, where processes share a
-- database; see storage.ShowLease.
CREATE TABLE challenges (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    guild           TEXT    NOT NULL,
    channel         TEXT    NOT NULL,
    challenger      TEXT    NOT NULL,
    challenger_name TEXT    NOT NULL,
    seats           INTEGER NOT NULL CHECK (seats >= 2),
    game            TEXT    NOT NULL,
    options         TEXT    NOT NULL,
    unrated         INTEGER NOT NULL CHECK (unrated IN (0, 1)),
    clock           TEXT    NOT NULL,
    first           TEXT    NOT NULL,
    seed            INTEGER NOT NULL,
    state           TEXT    NOT NULL CHECK (state IN ('open', 'accepted', 'declined', 'cancelled', 'expired')),
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    resolved_at     INTEGER,
    match_id        INTEGER REFERENCES matches (id),
    message         TEXT    NOT NULL,
    revision        INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    shown_revision  INTEGER NOT NULL DEFAULT -1 CHECK (shown_revision >= -1),
    attempts        INTEGER NOT NULL CHECK (attempts >= 0),
    next_attempt    INTEGER,
    lease_token     INTEGER NOT NULL DEFAULT 0,
    lease_until     INTEGER,
    CHECK ((state = 'open') = (resolved_at IS NULL)),
    CHECK (match_id IS NULL OR state = 'accepted')
) STRICT;

CREATE INDEX challenges_pending ON challenges (next_attempt, id) WHERE shown_revision <> revision;
CREATE INDEX challenges_expiring ON challenges (expires_at, id) WHERE state = 'open';
CREATE INDEX challenges_made_by ON challenges (challenger, created_at);
CREATE INDEX challenges_made_in ON challenges (guild, created_at);
CREATE INDEX challenges_match ON challenges (match_id) WHERE match_id IS NOT NULL;
CREATE INDEX challenges_open ON challenges (created_at, id) WHERE state = 'open';
CREATE INDEX challenges_open_by ON challenges (challenger, expires_at) WHERE state = 'open';
CREATE INDEX challenges_open_in ON challenges (guild, expires_at) WHERE state = 'open';

-- place counts those who have joined, or those who are invited.
CREATE TABLE challenge_people (
    challenge_id INTEGER NOT NULL REFERENCES challenges (id),
    joined       INTEGER NOT NULL CHECK (joined IN (0, 1)),
    place        INTEGER NOT NULL CHECK (place >= 1),
    person       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    level        TEXT    NOT NULL,
    PRIMARY KEY (challenge_id, joined, place)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX challenge_people_once ON challenge_people (challenge_id, person) WHERE level = '';
CREATE INDEX challenge_people_person ON challenge_people (person);

-- newest_at is the time of the newest entry, or of the match itself while it has
-- none: what lists of running matches are ordered by. root is the digest of the
-- settings, head that of the whole log. correction is the board that says that turns
-- were lost. end_number is the order in which matches ended, whatever the clock said.
-- new_accounts is a set of seats, see storage.Match.
CREATE TABLE matches (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    challenge_id        INTEGER REFERENCES challenges (id),
    guild               TEXT    NOT NULL,
    channel             TEXT    NOT NULL,
    game                TEXT    NOT NULL CHECK (game <> ''),
    rules_version       INTEGER NOT NULL,
    options             TEXT    NOT NULL,
    seed                INTEGER NOT NULL,
    unrated             INTEGER NOT NULL CHECK (unrated IN (0, 1)),
    clock               TEXT    NOT NULL,
    created_at          INTEGER NOT NULL,
    root                BLOB    NOT NULL CHECK (length(root) = 16),
    head                BLOB    NOT NULL CHECK (length(head) = 16),
    seq                 INTEGER NOT NULL DEFAULT 0 CHECK (seq >= 0),
    shown_seq           INTEGER NOT NULL DEFAULT -1 CHECK (shown_seq >= -1),
    ending              TEXT    NOT NULL DEFAULT '',
    ended_at            INTEGER,
    end_number          INTEGER CHECK (end_number >= 1),
    newest_at           INTEGER NOT NULL,
    check_at            INTEGER,
    reminded            INTEGER NOT NULL CHECK (reminded IN (0, 1)),
    offers              TEXT    NOT NULL DEFAULT '',
    correction          INTEGER NOT NULL DEFAULT 0,
    new_accounts        INTEGER NOT NULL DEFAULT 0,
    paused_at           INTEGER,
    pauses              TEXT    NOT NULL DEFAULT '',
    computer_turn_since INTEGER,
    lease_token         INTEGER NOT NULL DEFAULT 0,
    lease_until         INTEGER,
    CHECK ((ending = '') = (ended_at IS NULL)),
    CHECK ((ending = '') = (end_number IS NULL))
) STRICT;

CREATE INDEX matches_challenge ON matches (challenge_id) WHERE challenge_id IS NOT NULL;
CREATE INDEX matches_clock ON matches (id) WHERE clock <> '' AND ending = '';
CREATE INDEX matches_computer_turn ON matches (computer_turn_since, id) WHERE computer_turn_since IS NOT NULL;
CREATE UNIQUE INDEX matches_ended ON matches (end_number) WHERE end_number IS NOT NULL;
CREATE INDEX matches_ended_in ON matches (channel, end_number) WHERE end_number IS NOT NULL;
CREATE INDEX matches_ending ON matches (game, ending);
CREATE INDEX matches_overdue ON matches (check_at, id) WHERE ending = '' AND check_at IS NOT NULL;
CREATE INDEX matches_running ON matches (created_at, id) WHERE ending = '';
CREATE INDEX matches_running_in ON matches (channel, newest_at, id) WHERE ending = '';

-- ended is the end_number of the match, which lists of a person's matches are
-- ordered by.
CREATE TABLE seats (
    match_id INTEGER NOT NULL REFERENCES matches (id),
    seat     INTEGER NOT NULL CHECK (seat >= 1),
    person   TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    level    TEXT    NOT NULL,
    ended    INTEGER,
    place    INTEGER CHECK (place >= 1),
    result   TEXT    CHECK (result IN ('won', 'shared', 'drawn', 'lost')),
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX seats_running ON seats (person, match_id) WHERE ended IS NULL;
CREATE INDEX seats_ended ON seats (person, ended) WHERE ended IS NOT NULL;

-- Who has had a result in a game in a guild.
CREATE TABLE guild_players (
    guild  TEXT NOT NULL CHECK (guild <> ''),
    game   TEXT NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (guild, game, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX guild_players_person ON guild_players (person);

-- The log. Nothing in it is ever changed or removed.
CREATE TABLE entries (
    match_id    INTEGER NOT NULL REFERENCES matches (id),
    seq         INTEGER NOT NULL CHECK (seq >= 1),
    kind        TEXT    NOT NULL CHECK (kind <> ''),
    seat        INTEGER NOT NULL CHECK (seat >= 0),
    text        TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    interaction TEXT    NOT NULL,
    digest      BLOB    NOT NULL CHECK (length(digest) = 16),
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE boards (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    match_id     INTEGER NOT NULL REFERENCES matches (id),
    seq          INTEGER NOT NULL CHECK (seq >= 0),
    guild        TEXT    NOT NULL,
    channel      TEXT    NOT NULL,
    message      TEXT    NOT NULL,
    notify       INTEGER NOT NULL CHECK (notify IN (0, 1)),
    offer        INTEGER NOT NULL DEFAULT 0 CHECK (offer >= 0),
    edit         INTEGER NOT NULL DEFAULT 0 CHECK (edit IN (0, 1)),
    state        TEXT    NOT NULL CHECK (state IN ('due', 'posted', 'superseded', 'collapsed', 'skipped')),
    attempts     INTEGER NOT NULL CHECK (attempts >= 0),
    next_attempt INTEGER,
    needs_redraw INTEGER NOT NULL DEFAULT 0 CHECK (needs_redraw IN (0, 1))
) STRICT;

CREATE INDEX boards_pending ON boards (next_attempt, id)
    WHERE (state IN ('due', 'superseded') OR (state = 'skipped' AND next_attempt IS NOT NULL) OR (state = 'posted' AND needs_redraw = 1));
CREATE UNIQUE INDEX boards_current ON boards (match_id) WHERE state IN ('due', 'posted');
CREATE INDEX boards_match ON boards (match_id, id);

-- The turns that people have prepared in running matches, see storage.Prepared.
CREATE TABLE prepared (
    match_id INTEGER NOT NULL REFERENCES matches (id),
    seat     INTEGER NOT NULL CHECK (seat > 0),
    turns    INTEGER NOT NULL CHECK (turns >= 0),
    text     TEXT    NOT NULL,
    draft    TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

-- Challenges that ask for another match after one that has ended.
CREATE TABLE rematches (
    challenge_id INTEGER NOT NULL PRIMARY KEY REFERENCES challenges (id),
    match_id     INTEGER NOT NULL REFERENCES matches (id)
) STRICT;

CREATE INDEX rematches_match ON rematches (match_id, challenge_id);

-- The thread in which the match of a challenge is played, or why there is none.
-- parent is the channel in which it was created, so that commands there find the
-- match in the thread. A challenge without a row wants no thread.
CREATE TABLE threads (
    challenge_id INTEGER NOT NULL PRIMARY KEY REFERENCES challenges (id),
    state        TEXT    NOT NULL CHECK (state IN ('wanted', 'created', 'refused', 'full', 'locked', 'deleted', 'archived')),
    parent       TEXT    NOT NULL
) STRICT;

CREATE INDEX threads_created ON threads (challenge_id) WHERE state = 'created';
CREATE INDEX threads_in ON threads (parent) WHERE state = 'created';

-- What each rated match changed. Rows are added and never changed; all can be
-- computed anew from the logs. end_number is that of the match.
CREATE TABLE rating_changes (
    match_id          INTEGER NOT NULL REFERENCES matches (id),
    seat              INTEGER NOT NULL CHECK (seat >= 1),
    person            TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    game              TEXT    NOT NULL,
    list              TEXT    NOT NULL CHECK (list IN ('people', 'computer')),
    place             INTEGER NOT NULL CHECK (place >= 1),
    at                INTEGER NOT NULL,
    weight            REAL    NOT NULL CHECK (weight > 0 AND weight <= 1),
    mean_before       REAL    NOT NULL,
    deviation_before  REAL    NOT NULL,
    volatility_before REAL    NOT NULL,
    mean              REAL    NOT NULL,
    deviation         REAL    NOT NULL,
    volatility        REAL    NOT NULL,
    established_until INTEGER,
    end_number        INTEGER NOT NULL,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;

CREATE INDEX rating_changes_at ON rating_changes (person, game, list, at);
CREATE INDEX rating_changes_person ON rating_changes (person, game, list, end_number);

-- The current ratings: what the last row of rating_changes says. provisional is
-- as far as ExpireRatings has looked.
CREATE TABLE ratings (
    game              TEXT    NOT NULL,
    list              TEXT    NOT NULL CHECK (list IN ('people', 'computer')),
    person            TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    mean              REAL    NOT NULL,
    deviation         REAL    NOT NULL,
    volatility        REAL    NOT NULL,
    matches           INTEGER NOT NULL CHECK (matches >= 1),
    match_id          INTEGER NOT NULL REFERENCES matches (id),
    at                INTEGER NOT NULL,
    established_until INTEGER,
    provisional       INTEGER NOT NULL CHECK (provisional IN (0, 1)),
    PRIMARY KEY (game, list, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX ratings_expiring ON ratings (established_until) WHERE provisional = 0;
CREATE INDEX ratings_leaderboard ON ratings (game, list, provisional, mean DESC, person);
CREATE INDEX ratings_person ON ratings (person);

-- The settings of a person. Quiet hours are in their zone; none if both are equal.
CREATE TABLE preferences (
    person          TEXT    NOT NULL PRIMARY KEY CHECK (person <> ''),
    manual_end_turn INTEGER NOT NULL CHECK (manual_end_turn IN (0, 1)),
    confirm_turn    INTEGER NOT NULL CHECK (confirm_turn IN (0, 1)),
    reminders       TEXT    NOT NULL CHECK (reminders IN ('', 'direct', 'none')),
    own_side        INTEGER NOT NULL CHECK (own_side IN (0, 1)),
    theme           TEXT    NOT NULL,
    locale          TEXT    NOT NULL,
    zone            TEXT    NOT NULL,
    quiet_from      INTEGER NOT NULL CHECK (quiet_from BETWEEN 0 AND 23),
    quiet_to        INTEGER NOT NULL CHECK (quiet_to BETWEEN 0 AND 23)
) STRICT, WITHOUT ROWID;

-- When the clocks of a person stand still.
CREATE TABLE vacations (
    person TEXT    NOT NULL CHECK (person <> ''),
    began  INTEGER NOT NULL,
    ended  INTEGER NOT NULL CHECK (ended > began),
    PRIMARY KEY (person, began)
) STRICT, WITHOUT ROWID;

-- The direct message that a person gets once a day, see storage.DailyMessage.
CREATE TABLE daily_messages (
    person        TEXT    NOT NULL PRIMARY KEY CHECK (person <> ''),
    due_at        INTEGER NOT NULL,
    next_attempt  INTEGER NOT NULL,
    attempts      INTEGER NOT NULL CHECK (attempts >= 0),
    sending_since INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_messages_next ON daily_messages (next_attempt, person);

-- Whom a person wants to have nothing to do with, named as at that time.
CREATE TABLE blocks (
    person  TEXT    NOT NULL CHECK (person <> ''),
    blocked TEXT    NOT NULL CHECK (blocked <> '' AND blocked <> person),
    name    TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (person, blocked)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_blocked ON blocks (blocked);

-- attempts and next_attempt are about showing the message, as for challenges.
CREATE TABLE tournaments (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    guild          TEXT    NOT NULL CHECK (guild <> ''),
    channel        TEXT    NOT NULL CHECK (channel <> ''),
    organiser      TEXT    NOT NULL CHECK (organiser <> ''),
    organiser_name TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    game           TEXT    NOT NULL CHECK (game <> ''),
    options        TEXT    NOT NULL,
    clock          TEXT    NOT NULL,
    unrated        INTEGER NOT NULL CHECK (unrated IN (0, 1)),
    thread         INTEGER NOT NULL CHECK (thread IN (0, 1)),
    format         TEXT    NOT NULL,
    rounds         INTEGER NOT NULL CHECK (rounds >= 0),
    state          TEXT    NOT NULL CHECK (state IN ('open', 'running', 'ended', 'cancelled')),
    created_at     INTEGER NOT NULL,
    starts_at      INTEGER NOT NULL,
    check_at       INTEGER,
    called_at      INTEGER,
    ended_at       INTEGER,
    message        TEXT    NOT NULL DEFAULT '',
    old_message    TEXT    NOT NULL DEFAULT '',
    revision       INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    shown_revision INTEGER NOT NULL DEFAULT -1 CHECK (shown_revision >= -1),
    attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt   INTEGER
) STRICT;

CREATE INDEX tournaments_active ON tournaments (starts_at, id) WHERE ended_at IS NULL;
CREATE INDEX tournaments_in ON tournaments (guild, ended_at, starts_at);
CREATE INDEX tournaments_pending ON tournaments (next_attempt, id) WHERE shown_revision <> revision;

CREATE TABLE tournament_players (
    tournament_id INTEGER NOT NULL REFERENCES tournaments (id),
    person        TEXT    NOT NULL CHECK (person <> ''),
    name          TEXT    NOT NULL,
    joined_at     INTEGER NOT NULL,
    here          INTEGER NOT NULL CHECK (here IN (0, 1)),
    seed          INTEGER NOT NULL CHECK (seed >= 0),
    rating        REAL    NOT NULL,
    first_round   INTEGER NOT NULL CHECK (first_round >= 0),
    left_round    INTEGER NOT NULL CHECK (left_round >= 0),
    PRIMARY KEY (tournament_id, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX tournament_players_person ON tournament_players (person);

-- first and second are seeds; second is 0 in a round without a game.
CREATE TABLE tournament_games (
    tournament_id INTEGER NOT NULL REFERENCES tournaments (id),
    round         INTEGER NOT NULL CHECK (round >= 1),
    board         INTEGER NOT NULL CHECK (board >= 1),
    number        INTEGER NOT NULL CHECK (number >= 1),
    first         INTEGER NOT NULL CHECK (first >= 1),
    second        INTEGER NOT NULL CHECK (second >= 0),
    match_id      INTEGER REFERENCES matches (id),
    outcome       TEXT    NOT NULL,
    PRIMARY KEY (tournament_id, round, board, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX tournament_games_match ON tournament_games (match_id) WHERE match_id IS NOT NULL;
CREATE INDEX tournament_games_open ON tournament_games (tournament_id) WHERE outcome = '';

-- What operators did with the bot as a whole, and organisers in their guild, see
-- storage.Act.
CREATE TABLE audit (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    guild    TEXT    NOT NULL,
    operator TEXT    NOT NULL CHECK (operator <> ''),
    kind     TEXT    NOT NULL CHECK (kind <> ''),
    target   TEXT    NOT NULL CHECK (target <> '' OR kind NOT IN ('ban', 'unban')),
    note     TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_guild ON audit (guild, kind, at);
CREATE INDEX audit_target ON audit (target, id);

-- People who have left a guild in which they have played.
CREATE TABLE departures (
    guild      TEXT    NOT NULL CHECK (guild <> ''),
    person     TEXT    NOT NULL CHECK (person <> ''),
    noticed_at INTEGER NOT NULL,
    PRIMARY KEY (guild, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX departures_person ON departures (person);

-- The language in which Discord last showed itself to a person, or in which a
-- guild is set: what the bot writes without being asked is in this language.
CREATE TABLE locales (
    id     TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    locale TEXT NOT NULL CHECK (locale <> '')
) STRICT, WITHOUT ROWID;

CREATE TABLE guild_settings (
    guild       TEXT    NOT NULL PRIMARY KEY CHECK (guild <> ''),
    clock       TEXT    NOT NULL,
    unrated     INTEGER NOT NULL CHECK (unrated IN (0, 1)),
    no_threads  INTEGER NOT NULL CHECK (no_threads IN (0, 1)),
    theme       TEXT    NOT NULL,
    locale      TEXT    NOT NULL,
    leaderboard TEXT    NOT NULL CHECK (leaderboard IN ('', 'players', 'nobody')),
    organiser   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- The channels of a guild in which matches may be started; all without any.
CREATE TABLE guild_channels (
    guild   TEXT NOT NULL CHECK (guild <> ''),
    channel TEXT NOT NULL CHECK (channel <> ''),
    PRIMARY KEY (guild, channel)
) STRICT, WITHOUT ROWID;

-- Interactions that were processed, so that a repeated delivery is not.
CREATE TABLE processed_interactions (
    interaction  TEXT    NOT NULL PRIMARY KEY CHECK (interaction <> ''),
    at           INTEGER NOT NULL,
    match_id     INTEGER REFERENCES matches (id),
    challenge_id INTEGER REFERENCES challenges (id),
    seq          INTEGER NOT NULL CHECK (seq >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX processed_interactions_at ON processed_interactions (at);

-- When the bot was last in contact with Discord, and when it was not for long.
CREATE TABLE contact (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;

CREATE TABLE outages (
    began INTEGER NOT NULL,
    ended INTEGER PRIMARY KEY CHECK (ended > began)
) STRICT;

-- What one process does at a time, see storage.Lease.
CREATE TABLE leases (
    name   TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    holder TEXT    NOT NULL,
    token  INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    note   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- While this has a row, which is only within the transaction of ForgetPerson, a
-- person can be replaced in what otherwise never changes.
CREATE TABLE forgetting (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT;

-- +goose StatementBegin
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
  OR (OLD.match_id, OLD.seq, OLD.kind, OLD.seat, OLD.text, OLD.at) IS NOT (NEW.match_id, NEW.seq, NEW.kind, NEW.seat, NEW.text, NEW.at)
BEGIN
    SELECT RAISE (ABORT, 'the table entries is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
BEGIN
    SELECT RAISE (ABORT, 'the table entries is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN
    SELECT RAISE (ABORT, 'the table audit is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_never_goes BEFORE DELETE ON audit
BEGIN
    SELECT RAISE (ABORT, 'the table audit is append-only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER rating_changes_never_change BEFORE UPDATE ON rating_changes
WHEN NOT EXISTS (SELECT 1 FROM forgetting)
BEGIN
    SELECT RAISE (ABORT, 'the table rating_changes is append-only');
END;
-- +goose StatementEnd
