-- One row. Every batch of writes takes it first and holds its lock until the commit, so revision order is commit order.
create table revision_counter (
  id                smallint primary key default 1 check (id = 1),
  -- The newest revision.
  value             bigint not null,
  -- The partition of the log that is written to, and the newest revision when that began.
  segment           integer not null,
  segment_start     bigint not null,
  -- Where these revisions were handed out: after a failover or restore they jump ahead.
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

-- When each segment began, and the newest revision then.
create table log_segment (
  segment        integer primary key,
  start_revision bigint not null,
  started_at     timestamptz not null
);

-- Every change, a partition per segment. Kind: A added, M modified, D deleted. For A and M the columns are the state after the
-- change, for D the state before it. The state before an M stands in the `previous` columns where its own row lies in an older
-- segment, and else in the row of `previous_revision` in the same segment.
create table revision_log (
  segment              integer not null,
  revision             bigint not null,
  previous_revision    bigint,
  -- Made up by the writer, so that it finds out whether a batch was committed whose answer was lost.
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

-- Rows are only ever inserted, and gone within minutes with their partition: to vacuum and analyze them is wasted.
create table revision_log_1 partition of revision_log for values in (1) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);
create table revision_log_2 partition of revision_log for values in (2) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);
create table revision_log_3 partition of revision_log for values in (3) with (autovacuum_enabled = off, toast.autovacuum_enabled = off);

-- Revisions begin above 1 with everything before compacted: 0 and 1 mean something else to clients.
insert into revision_counter (value, segment, segment_start, timeline, system_identifier) values (1000, 1, 1000, '', '');
insert into compaction (revision) values (1000);
insert into log_segment (segment, start_revision, started_at) values (1, 1000, now());
