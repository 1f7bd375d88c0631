import type { Expression, RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** How much is read at a time, so that neither memory nor the event loop feels how much there is. A page has at least one row. */
export interface PageLimits {
  readonly rows: number;
  /** Bytes of data, approximately. */
  readonly bytes: number;
}

/** A page of followers and snapshots, unless a store is given another. */
export const DEFAULT_PAGE: PageLimits = { rows: 1_000, bytes: 2 * 1024 * 1024 };

/** What a row of the log takes. octet_length reads no value that is stored out of line. */
export const changeSize = sql<number>`octet_length(data) + coalesce(octet_length(previous), 0)`;
/** What an object takes. */
export const objectSize = sql<number>`octet_length(data)`;

/** The bytes of all rows before this one, in the order `order`; a page is cut where they reach its limit. */
export function bytesBefore(size: Expression<number>, order: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`sum(${size}) over (order by ${order}) - (${size})`;
}
