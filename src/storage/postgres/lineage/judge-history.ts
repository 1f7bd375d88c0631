import { RevisionGaps } from '../../revision-gaps.js';

/** A lineage as stored in the database (migrations/0001_baseline.up.sql). */
export interface LineageRow {
  readonly id: number;
  /** The newest revision of the preceding lineage that belongs to this history. */
  readonly ended: number;
  /** The newest revision when this lineage started. */
  readonly began: number;
}

/** The history according to one copy of the database. */
export interface DatabaseHistory {
  readonly lineage: number;
  readonly value: number;
  /** Whether this running PostgreSQL and these files are the ones in which the lineage started. */
  readonly atHome: boolean;
  readonly compacted: number;
  readonly lineages: readonly LineageRow[];
}

/** The history known to a server: the newest revision that it has seen, and its lineage. */
export interface KnownHistory {
  readonly lineage: number;
  readonly newest: number;
}

/** The relation of a database's history to what a server knows. */
export interface Judgement {
  /** Whether everything that the server has seen belongs to this database's history. */
  readonly continuous: boolean;
  /** The last revision of this history, if a new lineage must be started before anything else. */
  readonly beginAfter?: number;
}

/**
 * Decides whether a database is the one that a server knows, or a continuation of it, and whether a new lineage must be started.
 *
 * A lineage is written in one place only, so copies of it differ only in length: a revision that a server saw in lineage L is part of this
 * history if L is, at least up to that revision. That needs no clock. If it is not part of it, clients must be able to tell by the numbers:
 * either the revision already lies in a gap, or a lineage is started above it.
 */
export function judgeHistory(database: DatabaseHistory, known: KnownHistory | undefined): Judgement {
  if (known === undefined) return database.atHome ? { continuous: true } : { continuous: true, beginAfter: database.value };
  const end = endOf(known.lineage, database);
  const continuous = end !== undefined && known.newest <= end;
  const told = known.newest < database.compacted || new RevisionGaps(database.lineages).has(known.newest);
  if (continuous || told) return database.atHome ? { continuous } : { continuous, beginAfter: database.value };
  return { continuous: false, beginAfter: Math.min(end ?? database.compacted, database.value) };
}

/** The newest revision of a lineage in this history; undefined if the lineage is not in it or has been compacted. */
function endOf(lineage: number, { lineages, lineage: current, value }: DatabaseHistory): number | undefined {
  const row = lineages.find(({ id }) => id === lineage);
  if (row === undefined) return lineage === current ? value : undefined;
  return lineages.reduce((least, { ended, began }) => (began > row.began ? Math.min(least, ended) : least), value);
}
