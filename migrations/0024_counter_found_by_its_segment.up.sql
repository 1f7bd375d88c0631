-- While some session keeps an old snapshot, PostgreSQL keeps every version of the counter's row since, and each commit looked at all of them. By
-- its segment, a commit finds only those of the last minute: the row moves to another key at each rotation. Updates stay HOT in between.
create index revision_counter_segment on revision_counter (segment);
