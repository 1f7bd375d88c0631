import { RevisionGaps } from '../../revision-gaps.js';

/** A lineage as the database remembers it (migrations/0005_lineage.up.sql). */
export interface LineageRow {
  readonly id: number;
  /** The newest revision of the lineage before that belongs to this history. */
  readonly ended: number;
  /** The newest revision when this one began. */
  readonly began: number;
}

/** The database's side: what one copy of it says about its history. */
export interface DatabaseHistory {
  readonly lineage: number;
  readonly value: number;
  /** Whether this running PostgreSQL and these files are those that the lineage began with. */
  readonly atHome: boolean;
  readonly compacted: number;
  readonly lineages: readonly LineageRow[];
}

/** A server's side: the newest revision that it has seen, and in which lineage. */
export interface KnownHistory {
  readonly lineage: number;
  readonly newest: number;
}

/** How a database's history relates to what a server knows. */
export interface Judgement {
  /** Whether what the server has seen belongs to this database's history. */
  readonly continuous: boolean;
  /** Set where a new lineage must begin before anything else is done: the last revision of this history. */
  readonly beginAfter?: number;
}

/**
 * Whether this database is the one that a server knows, or a continuation of it, and whether a new lineage must begin.
 *
 * A lineage is written to in one place alone, so copies of it are longer or shorter, and never differ otherwise: a revision that a server
 * saw in lineage L is part of this history if L is, up to that revision at least. That needs no clock. Where it is not part of it, the
 * numbers must tell clients so: either the revision lies in a gap already, or a lineage begins above it.
 */
export function judgeHistory(database: DatabaseHistory, known: KnownHistory | undefined): Judgement {
  if (known === undefined) return database.atHome ? { continuous: true } : { continuous: true, beginAfter: database.value };
  const end = endOf(known.lineage, database);
  const continuous = end !== undefined && known.newest <= end;
  const told = known.newest < database.compacted || gapsOf(database.lineages).has(known.newest);
  if (continuous || told) return database.atHome ? { continuous } : { continuous, beginAfter: database.value };
  return { continuous: false, beginAfter: Math.min(end ?? database.compacted, database.value) };
}

/** The newest revision of a lineage that this history has; undefined where it has none, or has forgotten it. */
function endOf(lineage: number, { lineages, lineage: current, value }: DatabaseHistory): number | undefined {
  const row = lineages.find(({ id }) => id === lineage);
  if (row === undefined) return lineage === current ? value : undefined;
  return lineages.reduce((least, { ended, began }) => (began > row.began ? Math.min(least, ended) : least), value);
}

/** The revisions between the lineages of a history, which it never gave out. */
export function gapsOf(lineages: readonly LineageRow[]): RevisionGaps {
  return new RevisionGaps(lineages);
}
