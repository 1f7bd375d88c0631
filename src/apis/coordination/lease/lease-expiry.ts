import type { ManagedFieldsEntry } from '../../../apimachinery/meta/object-meta.schema.js';
import type { Lease } from './lease.schema.js';

/** The field manager of the procedures for SQL, whose renewTime is by the database's clock. */
const SQL_MANAGER = 'coordination-sql';

/**
 * When a lease expires, in milliseconds; undefined if it has no duration or no time, and so never does. renewTime is by the holder's clock,
 * and managedFields has the second in which the server received the renewal: the later one counts, unless the holder's clock is ahead by more
 * than the duration. Without renewTime the last write counts, since client-go's electors do not read renewTime: they take a lease that they
 * have seen unchanged for its duration (leaderelection.go, isLeaseValid).
 *
 * `receipt` is the end of that second for whoever decides who may take a lease, as `lease_expiry` in migrations/functions/lease-state.sql does, so that none is
 * taken too early; it is the beginning for whoever tells afterwards whether a lease had expired when it was taken.
 */
export function leaseExpiry({ metadata, spec }: Lease, receipt: 'beginning' | 'end'): number | undefined {
  const duration = (spec?.leaseDurationSeconds ?? NaN) * 1000;
  const renewed = Date.parse(spec?.renewTime ?? '');
  const times = (metadata.managedFields ?? [])
    .filter((entry) => !spec?.renewTime || ownsRenewTime(entry))
    .map(({ time }) => Date.parse(time ?? ''));
  const received = Math.max(...times.filter(Number.isFinite));
  const from = received + (receipt === 'end' ? 1000 : 0);
  const isPlausible = renewed > from && renewed <= received + 1000 + duration;
  const expiry = (isPlausible || !Number.isFinite(received) ? renewed : from) + duration;
  return Number.isFinite(expiry) ? expiry : undefined;
}

function ownsRenewTime({ manager, fieldsV1 }: ManagedFieldsEntry): boolean {
  const spec = fieldsV1?.['f:spec'] as Readonly<Record<string, unknown>> | null | undefined;
  return manager !== SQL_MANAGER && spec?.['f:renewTime'] !== undefined;
}
