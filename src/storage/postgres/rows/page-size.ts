import { type Expression, type RawBuilder, sql } from 'kysely';

/** Size of a row of the log. octet_length does not read values that are stored out of line. */
export const changeSize = sql<number>`octet_length(data) + coalesce(octet_length(previous), 0)`;
export const objectSize = sql<number>`octet_length(data)`;

/** The size of all rows before this one, in the order `order`; a page ends where they reach its limit. */
export function bytesBefore(size: Expression<number>, order: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`sum(${size}) over (order by ${order}) - (${size})`;
}
