-- The first schema. Times are milliseconds since 1970 UTC. Ids are AUTOINCREMENT: the id of something deleted never returns.
-- Columns named after a document (`spec`, `variant`, `summary` …) hold JSON text.

CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    name          TEXT    NOT NULL,
    name_key      TEXT    NOT NULL UNIQUE, -- the name in lower case: two people never differ by case alone
    role          TEXT    NOT NULL CHECK (role IN ('viewer', 'engineer', 'admin')),
    disabled      INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    password_hash TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    last_sign_in  INTEGER
) STRICT;

CREATE TABLE sessions (
    hash       BLOB    PRIMARY KEY NOT NULL CHECK (length(hash) = 32), -- SHA-256 of the session id, never the id
    user_id    INTEGER REFERENCES users (id) ON DELETE CASCADE,
    data       TEXT    NOT NULL CHECK (json_valid(data)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE variants (
    id         INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    name       TEXT    NOT NULL UNIQUE,
    engine     TEXT    NOT NULL,
    variant    TEXT    NOT NULL CHECK (json_valid(variant)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE experiments (
    id               INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    name             TEXT    NOT NULL,
    notes            TEXT    NOT NULL DEFAULT '',
    spec             TEXT    NOT NULL CHECK (json_valid(spec)),
    prompts_hash     TEXT    NOT NULL,
    created_by       TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1))
) STRICT;

-- The variants as they were when the experiment was queued; later edits of the stored ones change nothing here.
CREATE TABLE experiment_arms (
    experiment_id INTEGER NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    arm           INTEGER NOT NULL,
    name          TEXT    NOT NULL,
    variant       TEXT    NOT NULL CHECK (json_valid(variant)),
    PRIMARY KEY (experiment_id, arm)
) STRICT;

-- The queue: one row is one start of one arm.
CREATE TABLE blocks (
    id            INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    repeat        INTEGER NOT NULL,
    arm           INTEGER NOT NULL,
    lane          TEXT    NOT NULL DEFAULT 'host',
    state         TEXT    NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'finished')),
    attempt       INTEGER NOT NULL DEFAULT 1, -- the fence: whoever holds an older number writes nothing
    owner         TEXT,
    lease_until   INTEGER,
    deployment_id INTEGER REFERENCES deployments (id) ON DELETE SET NULL,
    environment   TEXT CHECK (environment IS NULL OR json_valid(environment)),
    started_at    INTEGER,
    ended_at      INTEGER,
    UNIQUE (experiment_id, position),
    CHECK ((state = 'running') = (owner IS NOT NULL)),
    CHECK ((state = 'running') = (lease_until IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX one_running_block_per_lane ON blocks (lane) WHERE state = 'running';
CREATE INDEX queued_blocks ON blocks (lane, experiment_id, position) WHERE state = 'queued';
CREATE INDEX blocks_by_deployment ON blocks (deployment_id);

CREATE TABLE runs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
    block_id      INTEGER NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL, -- place among the levels of its block
    concurrency   INTEGER NOT NULL,
    requests      INTEGER NOT NULL,
    state         TEXT    NOT NULL DEFAULT 'queued' CHECK (state IN
        ('queued', 'preparing', 'warming', 'measuring', 'processing', 'done', 'failed', 'cancelled', 'interrupted')),
    attempt       INTEGER NOT NULL DEFAULT 1,
    reason        TEXT,
    started_at    INTEGER,
    measured_at   INTEGER,
    ended_at      INTEGER,
    progress      TEXT CHECK (progress IS NULL OR json_valid(progress)),
    tok_s         REAL,
    summary       TEXT CHECK (summary IS NULL OR json_valid(summary)),
    -- The start that served it: after a crash the rest of a block is served by another one.
    deployment_id INTEGER REFERENCES deployments (id) ON DELETE SET NULL,
    environment   TEXT CHECK (environment IS NULL OR json_valid(environment)),
    UNIQUE (block_id, position),
    CHECK ((state = 'done') = (summary IS NOT NULL))
) STRICT;
CREATE INDEX runs_by_experiment ON runs (experiment_id, state);
CREATE INDEX runs_by_deployment ON runs (deployment_id);
CREATE INDEX open_runs ON runs (block_id, state)
    WHERE state IN ('queued', 'preparing', 'warming', 'measuring', 'processing');

CREATE TABLE run_events (
    run_id    INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt   INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    raw_bytes INTEGER NOT NULL,
    body      BLOB    NOT NULL, -- JSON lines, deflated
    PRIMARY KEY (run_id, attempt, seq)
) STRICT;

CREATE TABLE run_requests (
    run_id        INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    req           INTEGER NOT NULL,
    sent_ms       REAL,
    ttft_ms       REAL,
    tpot_ms       REAL,
    e2e_ms        REAL,
    prompt_tokens INTEGER,
    output_tokens INTEGER,
    cached_tokens INTEGER,
    finish        TEXT,
    error         TEXT,
    PRIMARY KEY (run_id, req)
) STRICT;

CREATE TABLE deployments (
    id           INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    variant_name TEXT    NOT NULL,
    variant      TEXT    NOT NULL CHECK (json_valid(variant)),
    runtime      TEXT    NOT NULL,
    block_id     INTEGER REFERENCES blocks (id) ON DELETE CASCADE, -- NULL: a person started it
    created_by   TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('pending', 'pulling', 'starting', 'loading', 'warming', 'ready',
        'stopping', 'stopped', 'failed', 'lost')),
    ended_at     INTEGER,
    identity     TEXT CHECK (identity IS NULL OR json_valid(identity)),
    endpoint     TEXT,
    port         INTEGER,
    log_path     TEXT,
    command      TEXT CHECK (command IS NULL OR json_valid(command)),
    capacity     TEXT CHECK (capacity IS NULL OR json_valid(capacity)),
    failure      TEXT CHECK (failure IS NULL OR json_valid(failure))
) STRICT;
CREATE INDEX deployments_by_block ON deployments (block_id);
CREATE INDEX open_deployments ON deployments (id) WHERE state NOT IN ('stopped', 'failed', 'lost');

CREATE TABLE deployment_transitions (
    id            INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    state         TEXT    NOT NULL,
    reason        TEXT,
    at            INTEGER NOT NULL
) STRICT;
CREATE INDEX transitions_by_deployment ON deployment_transitions (deployment_id, id);

CREATE TABLE reports (
    id            INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    experiment_id INTEGER REFERENCES experiments (id) ON DELETE SET NULL,
    title         TEXT    NOT NULL,
    snapshot      TEXT    NOT NULL CHECK (json_valid(snapshot)),
    created_by    TEXT    NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX reports_by_experiment ON reports (experiment_id);

CREATE TABLE shares (
    id         INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    report_id  INTEGER NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    token_hash BLOB    NOT NULL UNIQUE CHECK (length(token_hash) = 32), -- SHA-256 of the token, never the token
    created_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX shares_by_report ON shares (report_id);

CREATE TABLE audit (
    id     INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    at     INTEGER NOT NULL,
    actor  TEXT    NOT NULL,
    origin TEXT    NOT NULL CHECK (origin IN ('session', 'local', 'system')),
    action TEXT    NOT NULL,
    object TEXT    NOT NULL,
    detail TEXT    NOT NULL CHECK (json_valid(detail))
) STRICT;

CREATE TABLE settings (
    key        TEXT    PRIMARY KEY NOT NULL,
    value      TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
