import type { Lease } from '../lease.js';

/** Who has renewed a lease by the database's clock (docs/sql.md). */
const BY_DATABASE = 'coordination-sql';

/**
 * When a lease expires, in milliseconds of this server's clock; undefined for one that names no duration or no time, and so never does. As in
 * SQL (migrations/0007, lease_expiry), a client's renewTime counts only if it fits the time at which a server received the renewal, which
 * managedFields has in whole seconds.
 */
export function leaseExpiry({ metadata, spec }: Lease): number | undefined {
  const seconds = spec?.leaseDurationSeconds;
  if (seconds === undefined || seconds === null) return undefined;
  const duration = seconds * 1000;
  const renewed = timeOf(spec?.renewTime);
  const received = (metadata.managedFields ?? [])
    .filter(({ manager, fieldsV1 }) => manager !== BY_DATABASE && renews(fieldsV1))
    .map(({ time }) => timeOf(time))
    .filter((time) => time !== undefined);
  if (received.length === 0) return renewed === undefined ? undefined : renewed + duration;
  const latest = Math.max(...received) + 1000;
  const fits = renewed !== undefined && renewed > latest && renewed <= latest + duration;
  return (fits ? renewed : latest) + duration;
}

function renews(fields: unknown): boolean {
  const spec = (fields as Readonly<Record<string, unknown>> | undefined)?.['f:spec'];
  return typeof spec === 'object' && spec !== null && 'f:renewTime' in spec;
}

function timeOf(text: string | null | undefined): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
