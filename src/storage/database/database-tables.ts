/** The tables as Kysely sees them; migrations/ is where they are made. */
export interface DatabaseTables {
  readonly objects: ObjectTable;
  readonly revision_counter: RevisionCounterTable;
  readonly compaction: CompactionTable;
  readonly log_segment: LogSegmentTable;
  readonly server_state: ServerStateTable;
}

export interface ObjectTable {
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly terminating: boolean;
  readonly data: string;
}

export interface RevisionCounterTable {
  readonly value: number;
  readonly segment: number;
  readonly segment_start: number;
  readonly lineage: number;
  readonly server_started: Date;
  readonly counter_file: string;
}

export interface CompactionTable {
  readonly revision: number;
  readonly holder: string;
  readonly held_until: Date;
}

export interface LogSegmentTable {
  readonly segment: number;
  readonly start_revision: number;
  readonly started_at: Date;
}

export interface ServerStateTable {
  readonly name: string;
  readonly value: string;
}
