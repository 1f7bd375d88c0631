-- A lineage is a stretch of revisions that one running PostgreSQL hands out from one set of files. Its id is random, and stands in the
-- counter's row together with what names that PostgreSQL (when it was started) and those files (the path of this table's file). A copy of
-- the row that is found anywhere else begins a new lineage before it hands out a revision.
alter table revision_counter
  add column lineage        bigint not null default 0,
  add column server_started timestamptz not null default '-infinity',
  add column counter_file   text not null default '';

-- Servers of this version read neither; those of the version before go on with them during an upgrade.
alter table revision_counter alter column timeline set default '', alter column system_identifier set default '';

-- When each lineage began that the log reaches back to. The revisions between `ended` and `began` were never given out in this history,
-- but may have been in another one, which was lost: in a failover, or when a copy was put in this one's place.
create table revision_lineage (
  id    bigint primary key,
  ended bigint not null,
  began bigint not null
);
