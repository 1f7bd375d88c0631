drop index revision_counter_segment;
