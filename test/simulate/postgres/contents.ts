import type { Commit, Entry, ObjectState } from '../check/history.js';

/** A row of revision_log. */
export interface LogRow {
  readonly segment: number;
  readonly revision: number;
  readonly kind: 'A' | 'M' | 'D';
  readonly resource: string;
  readonly path: string;
  readonly uid: string;
  readonly terminating: boolean;
  readonly data: string;
  readonly previous_revision: number | null;
  readonly previous_uid: string | null;
  readonly previous_terminating: boolean | null;
  readonly previous: string | null;
  readonly token: number | null;
}

/** A row of lease_term, without its times. */
export interface TermState {
  readonly path: string;
  /** `namespace/name` of the lease. */
  readonly lease: string;
  readonly holder: string;
  readonly token: number;
  /** The reason; undefined while it is open. */
  readonly ended: string | undefined;
  readonly created: number;
  readonly revision: number;
}

export interface Counter {
  readonly value: number;
  readonly segment: number;
  readonly segmentStart: number;
  readonly lineage: number;
  /** From the PostgreSQL under which the lineage began, and from the file in which it began. */
  readonly serverStarted: number;
  readonly counterFile: string;
}

/** The contents of a database. Rows are replaced, never modified. */
export interface Contents {
  counter: Counter;
  compaction: { readonly revision: number; readonly holder: string; readonly heldUntil: number };
  segments: readonly { readonly segment: number; readonly startRevision: number; readonly startedAt: number }[];
  /** Existing partitions of the log, and whether they are attached. */
  partitions: ReadonlyMap<number, 'attached' | 'detached'>;
  lineages: readonly { readonly id: number; readonly ended: number; readonly began: number }[];
  objects: Map<string, ObjectState>;
  /** By path. */
  terms: ReadonlyMap<string, TermState>;
  log: LogRow[];
  /** The last commit, for the checker. */
  head: Commit;
}

/** The effect of a transaction on the contents: the same on every copy that it reaches. */
export interface Change {
  readonly apply: (contents: Contents) => void;
  /** The revisions that it assigns. */
  readonly given?: { readonly from: number; readonly to: number; readonly entries: readonly Entry[] };
}

/** The state after the migrations. */
export function newContents(root: Commit, startedAt: number): Contents {
  return {
    counter: { value: 1000, segment: 1, segmentStart: 1000, lineage: 0, serverStarted: -Infinity, counterFile: '' },
    compaction: { revision: 1000, holder: '', heldUntil: -Infinity },
    segments: [{ segment: 1, startRevision: 1000, startedAt }],
    partitions: new Map([1, 2, 3].map((segment) => [segment, 'attached'])),
    lineages: [],
    objects: new Map(),
    terms: new Map(),
    log: [],
    head: root,
  };
}

export function copyOf(contents: Contents): Contents {
  return { ...contents, objects: new Map(contents.objects), log: [...contents.log] };
}

/** The rows after a revision that a query of the log sees, in the order in which they were written. */
export function logAfter({ log, partitions }: Contents, revision: number): LogRow[] {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.revision <= revision) low = middle + 1;
    else high = middle;
  }
  const rows: LogRow[] = [];
  for (; low < log.length; low++) if (partitions.get(log[low]!.segment) === 'attached') rows.push(log[low]!);
  return rows;
}

/** The row of one revision, if a query sees it. */
export function logRowAt(contents: Contents, revision: number): LogRow | undefined {
  const { log, partitions } = contents;
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]!.revision < revision) low = middle + 1;
    else high = middle;
  }
  const row = log[low];
  return row?.revision === revision && partitions.get(row.segment) === 'attached' ? row : undefined;
}
