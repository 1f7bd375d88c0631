drop table revision_lineage;
alter table revision_counter
  drop column lineage, drop column server_started, drop column counter_file,
  alter column timeline drop default, alter column system_identifier drop default;
