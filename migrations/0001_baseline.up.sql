-- The tables, and the rows that they begin with. Functions and views are in functions/.

-- The current objects. `path` is `namespace/name`, or `name` for cluster-scoped objects: lists are ordered by its bytes.
-- No column that a renewal changes is indexed, and pages are half empty, so that a renewal is a HOT update.
create table objects (
  resource    text collate "C" not null,
  path        text collate "C" not null,
  revision    bigint not null,
  terminating boolean not null,
  uid         text not null,
  data        text not null,
  primary key (resource, path)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- One row. Every batch of writes locks it first and holds the lock until the commit, so revision order is commit order.
create table revision_counter (
  id                smallint primary key default 1 check (id = 1),
  value             bigint not null, -- the newest revision
  segment           integer not null, -- the current partition of the log
  segment_start     bigint not null, -- the newest revision at its beginning
  timeline          text not null default '', -- not used
  system_identifier text not null default '', -- not used
  -- A lineage is a stretch of revisions that one running PostgreSQL assigns from one set of files. Its random id is stored with the start time of
  -- the one and the path of this table's file. A copy of the row anywhere else begins a new lineage before it assigns a revision.
  lineage           bigint not null default 0,
  server_started    timestamptz not null default '-infinity',
  counter_file      text not null default ''
) with (fillfactor = 10);

-- While some session keeps an old snapshot, PostgreSQL keeps every version of the row since. By its segment, a commit finds only those of the
-- last minute: the row moves to another key at each rotation. Updates stay HOT in between.
create index revision_counter_segment on revision_counter (segment);

-- The beginnings of the lineages that the log still covers. Revisions between `ended` and `began` were never assigned in this history,
-- but may have been in another one, which was lost in a failover or when a copy replaced this one.
create table revision_lineage (
  id    bigint primary key,
  ended bigint not null,
  began bigint not null
);

-- One row. Changes up to `revision` are no longer kept. `holder` does the maintenance until `held_until`.
create table compaction (
  id         smallint primary key default 1 check (id = 1),
  revision   bigint not null,
  holder     text not null default '',
  held_until timestamptz not null default '-infinity'
) with (fillfactor = 10);

-- The time when each segment began, and the newest revision at that time.
create table log_segment (
  segment        integer primary key,
  start_revision bigint not null,
  started_at     timestamptz not null
);

-- Every change, a partition per segment. Kind: A added, M modified, D deleted. For A and M the columns are the state after the
-- change, for D the state before it. The state before an M is in the `previous` columns if its own row is in an older
-- segment, otherwise in the row of `previous_revision` in the same segment.
create table revision_log (
  segment              integer not null,
  revision             bigint not null,
  previous_revision    bigint,
  token                bigint, -- chosen by the writer, to find out whether a batch was committed whose response was lost
  kind                 "char" not null,
  terminating          boolean not null,
  previous_terminating boolean,
  resource             text collate "C" not null,
  path                 text collate "C" not null,
  uid                  text not null,
  data                 text not null,
  previous_uid         text,
  previous             text
) partition by list (segment);

create index revision_log_revision on revision_log (revision);
create index revision_log_path on revision_log (resource, path, revision);

-- Rows are only inserted, and disappear within minutes with their partition: vacuum and analyze would be wasted on them.
create table revision_log_1 partition of revision_log for values in (1) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);
create table revision_log_2 partition of revision_log for values in (2) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);
create table revision_log_3 partition of revision_log for values in (3) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);

-- Revisions begin above 1 with everything before compacted: 0 and 1 have special meanings for clients.
insert into revision_counter (value, segment, segment_start) values (1000, 1, 1000);
insert into compaction (revision) values (1000);
insert into log_segment (segment, start_revision, started_at) values (1, 1000, now());

-- The data that servers on one database share: certificates, keys, tokens. Written once, by the first server.
create table server_state (
  name  text primary key,
  value text not null
);

-- Servers show by rows that they use the schema, and not by advisory locks, which anybody who may connect can take.
create unlogged table serving_session (
  pid     integer primary key,
  started timestamptz not null -- of the session; another one may have the same pid later
) with (fillfactor = 50);

-- Which roles may use the leases of which namespaces; `*` stands for all. SQL creates no lease in a namespace that has `most_leases`.
create table lease_access (
  role        regrole not null,
  namespace   text collate "C" not null,
  most_leases integer not null,
  primary key (role, namespace)
);

-- A lease as it stands.
create type lease_state as (
  revision    bigint,
  uid         text,
  terminating boolean,
  data        text,
  spec        json,
  managed     json,
  holder      text, -- '' for nobody
  expires     timestamptz,
  term        text
);

-- Has no rows: writers in SQL lock it before they lock the revision counter (lease_revision).
create table lease_writer_queue ();

-- The token of each lease's term that began in SQL. It counts only while the lease is still in that term (lease_term). Written with the
-- counter locked. Rows of deleted leases are removed when others are created.
create table lease_token (
  path  text collate "C" primary key,
  term  text not null,
  token bigint not null
) with (fillfactor = 50);

-- The newest token that a user's transaction has asserted for each lease, and its term. The transactions of one token share the row's lock
-- until they end, and the first one of a newer token waits for them. Nothing that holds the counter waits for such a lock.
create table lease_fence (
  path  text collate "C" primary key,
  term  text not null,
  token bigint not null
) with (fillfactor = 50);

-- What the transactions under way have asserted; each row is deleted at the commit that checks it, so nobody sees another's.
create unlogged table lease_assertion (
  transaction xid8 not null,
  path        text collate "C" not null,
  token       bigint not null,
  primary key (transaction, path, token)
);

create function lease_check_assertion() returns trigger language plpgsql as 'begin end'; -- its text is in functions/fences.sql
create constraint trigger lease_check_assertion after insert on lease_assertion deferrable initially deferred
for each row execute function lease_check_assertion();

-- What SQL contenders have seen of leases that others hold (lease_see). Unlogged: after a crash, on a standby that was promoted and in a restored
-- backup, older states may be current again, and nothing is known. The row with the path '' says since when anything is.
create unlogged table lease_seen (
  path     text primary key,
  run      text not null, -- of PostgreSQL (lease_run)
  revision bigint not null,
  since    timestamptz not null,
  last     timestamptz not null,
  watched  bigint not null -- for how many milliseconds the lease was certainly seen at `revision`
) with (fillfactor = 50);

-- Terms: who held a lease, from when to when, and how it ended (docs/terms.md, docs/decisions/0027-terms.md). A term is in segment 0 while it
-- is open and moves to the newest segment when it ends, so that a segment is dropped once all of its terms ended long ago.
create table lease_term (
  segment          integer not null,
  namespace        text collate "C" not null,
  lease            text collate "C" not null,
  token            bigint not null, -- the revision of the write with which the term began
  path             text collate "C" not null generated always as (namespace || '/' || lease || '.' || token::text) stored, -- the object's key
  uid              text not null,
  lease_uid        text not null,
  holder           text not null,
  began            timestamptz not null,
  until            timestamptz,
  reason           text,
  duration_seconds integer,
  transitions      integer,
  renewed          timestamptz, -- the last renewal, by the holder's clock; known once the term has ended
  labels           text, -- the lease's labels when the term began, as JSON
  created          bigint not null, -- the revision of the first change of this row
  revision         bigint not null, -- that of the last
  lapsed           boolean, -- whether the holder is late, or was when the term ended
  lapsed_at        timestamptz, -- when its time was over for the last time
  lapses           integer, -- how many times it was
  check ((segment = 0) = (until is null))
) partition by list (segment);

create index lease_term_path on lease_term (path);
create index lease_term_lease on lease_term (lease, namespace);
create index lease_term_holder on lease_term (holder);

create table lease_term_0 partition of lease_term for values in (0)
  with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
create table lease_term_1 partition of lease_term for values in (1);
create unique index lease_term_open on lease_term_0 (namespace, lease); -- a lease has at most one open term

-- Without an identity, PostgreSQL refuses to update or delete a row of a table that a publication has, such as one `for all tables`. Costs
-- nothing unless wal_level is logical.
alter table lease_term_0 replica identity using index lease_term_open;
alter table lease_term replica identity full;
alter table lease_term_1 replica identity full;

-- The segments of terms that have ended: when each was begun, and how many terms it has.
create table lease_term_segment (
  segment    integer primary key,
  started_at timestamptz not null,
  terms      bigint not null default 0
) with (fillfactor = 10);
insert into lease_term_segment (segment, started_at) values (1, now());

-- Lapses: a holder's time is over, and it has not renewed (docs/decisions/0029-lapses.md). One row: until when lapses are announced, which
-- servers that announce them prolong, and how many announcements were queued at the last count.
create table lease_announcing (
  id     smallint primary key default 1 check (id = 1),
  until  timestamptz not null,
  queued integer not null default 0
) with (fillfactor = 50);
insert into lease_announcing (until) values ('-infinity');

-- Lapses that have yet to be announced. A server that takes one moves `due` on, and deletes it once it is announced.
create table lease_announcement (
  id       text collate "C" primary key, -- the uid of the term, a dot, and the number of the lapse
  term     text not null, -- the term as an object, as of the lapse
  made     timestamptz not null,
  due      timestamptz not null,
  attempts integer not null default 0
);
create index lease_announcement_due on lease_announcement (due);

-- States of Terraform and OpenTofu in versions, named after the leases that lock them (docs/locks.md, docs/decisions/0033-terraform-state.md).
-- A state needs no lease and outlives it: losing a lease must not lose what Terraform knows of the world.
create table terraform_state (
  path   text collate "C" primary key, -- NAMESPACE/LEASE, as the lease has it in objects
  newest bigint not null default 0, -- the number of the newest version; 0 until there is one
  bytes  bigint not null default 0 -- of all versions together
);

-- Versions never change, but old ones are dropped.
create table terraform_state_version (
  path    text collate "C" not null references terraform_state on delete cascade,
  version bigint not null,
  written timestamptz not null,
  writer  text not null, -- the user
  serial  bigint, -- null where the state has none
  lineage text, -- likewise
  bytes   integer not null,
  data    text not null, -- as it was sent
  primary key (path, version)
);
