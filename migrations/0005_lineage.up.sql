-- A lineage is a stretch of revisions that one running PostgreSQL assigns from one set of files. Its id is random, and stored in the
-- counter's row together with the identity of that PostgreSQL (its start time) and of those files (the path of this table's file). A copy of
-- the row anywhere else begins a new lineage before it assigns a revision.
alter table revision_counter
  add column lineage        bigint not null default 0,
  add column server_started timestamptz not null default '-infinity',
  add column counter_file   text not null default '';

-- Servers of this version read neither; those of the previous version keep using them during an upgrade.
alter table revision_counter alter column timeline set default '', alter column system_identifier set default '';

-- The beginnings of the lineages that the log still covers. Revisions between `ended` and `began` were never assigned in this history,
-- but may have been in another one, which was lost in a failover or when a copy replaced this one.
create table revision_lineage (
  id    bigint primary key,
  ended bigint not null,
  began bigint not null
);
