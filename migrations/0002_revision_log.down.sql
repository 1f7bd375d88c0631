drop table revision_log;
drop table log_segment;
drop table compaction;
drop table revision_counter;
