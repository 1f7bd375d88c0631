-- One row. Every batch of writes locks it first and holds the lock until the commit, so revision order is commit order.
create table revision_counter (
  id                smallint primary key default 1 check (id = 1),
  -- The newest revision.
  value             bigint not null,
  -- The current partition of the log, and the newest revision at its beginning.
  segment           integer not null,
  segment_start     bigint not null,
  -- The PostgreSQL that assigned these revisions: after a failover or restore they jump ahead.
  timeline          text not null,
  system_identifier text not null
) with (fillfactor = 10);

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
  -- Chosen by the writer, to find out whether a batch was committed whose response was lost.
  token                bigint,
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
insert into revision_counter (value, segment, segment_start, timeline, system_identifier) values (1000, 1, 1000, '', '');
insert into compaction (revision) values (1000);
insert into log_segment (segment, start_revision, started_at) values (1, 1000, now());
