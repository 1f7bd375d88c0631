import type pg from 'pg';
import { type TermSegment, TermSegmentRepository } from './term-segment.repository.js';

/** How much history is kept. */
export interface TermRetentionOptions {
  /** How long a term is kept after its end; 0: no terms are recorded. */
  readonly historyMs: number;
  /** The most terms that have ended; more are dropped earlier. */
  readonly historyRows: number;
}

/** Parts of the history that are dropped at a time. */
const SEGMENTS = 30;
const SEGMENTS_BY_ROWS = 10;
const LONGEST_SEGMENT_MS = 3 * 24 * 3_600_000;

/** Keeps the history within its bounds, by whole partitions. The newest one is never dropped. Answers how many terms that have ended are kept. */
export async function retainTerms(client: pg.ClientBase, schema: string, options: TermRetentionOptions): Promise<number> {
  const repository = new TermSegmentRepository(client, schema);
  if (options.historyMs === 0) await repository.forgetOpen();
  const newest = (await repository.segments()).at(-1);
  if (newest && isFull(newest, options)) await repository.begin(newest.segment + 1);
  await shortenLargest(repository, options);
  const segments = await repository.segments();
  const dropped = overdue(segments, options);
  const firstKept = segments[dropped]?.segment ?? 0;
  for (const partition of await repository.list()) {
    if (partition.segment > 0 && partition.segment < firstKept) await repository.remove(partition);
  }
  for (const { segment } of segments.slice(0, dropped)) await repository.forget(segment);
  return segments.slice(dropped).reduce((sum, { terms }) => sum + terms, 0);
}

/**
 * Where there are too many terms, the oldest of the namespaces with the most make way, so that no namespace costs another one its history. A single
 * namespace loses its oldest segment instead.
 */
async function shortenLargest(repository: TermSegmentRepository, { historyRows }: TermRetentionOptions): Promise<void> {
  const segments = await repository.segments();
  const newest = segments.at(-1);
  if (!newest || segments.reduce((sum, { terms }) => sum + terms, 0) <= historyRows) return;
  const counts = await repository.countByNamespace(newest.segment);
  if (counts.length < 2) return;
  await repository.shorten(newest.segment, fairShare(counts, historyRows - historyRows / SEGMENTS_BY_ROWS - newest.terms));
}

/** The most that each may have if all together may have `total`, and what some do not need is for the others. */
export function fairShare(counts: readonly number[], total: number): number {
  let left = Math.max(0, total);
  const ascending = counts.toSorted((a, b) => a - b);
  for (const [at, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (count > share) return share;
    left -= count;
  }
  return ascending.at(-1) ?? 0;
}

function isFull({ terms, ageMs }: TermSegment, { historyMs, historyRows }: TermRetentionOptions): boolean {
  return terms > 0 && (ageMs >= Math.min(historyMs / SEGMENTS, LONGEST_SEGMENT_MS) || terms >= historyRows / SEGMENTS_BY_ROWS);
}

/**
 * How many segments, from the oldest one on, have only terms that ended too long ago, or are too many. The last term of one ended before the
 * next one began.
 */
export function overdue(segments: readonly TermSegment[], { historyMs, historyRows }: TermRetentionOptions): number {
  let rows = 0;
  for (let at = segments.length - 1; at >= 0; at--) {
    rows += segments[at]?.terms ?? 0;
    const next = segments[at + 1];
    if (next && (next.ageMs > historyMs || rows > historyRows)) return at + 1;
  }
  return 0;
}
