import type { ManagedFieldsEntry } from '../../../apimachinery/meta/object-meta.schema.js';
import type { Lease } from './lease.js';

/** The field manager of the procedures of migrations/0007, whose renewTime is by the database's clock. */
const SQL_MANAGER = 'coordination-sql';

/**
 * When the time of a lease's holder is over, in milliseconds; undefined where the lease names no duration or no time. renewTime is by the
 * holder's clock, and managedFields tells in which second the server received it: the later one counts, unless the holder's clock is ahead by
 * more than the duration. In doubt the time is over, while for `lease_expiry` in migrations/0007, which decides who may take a lease, it is not.
 */
export function leaseExpiry({ metadata, spec }: Lease): number | undefined {
  const duration = (spec?.leaseDurationSeconds ?? NaN) * 1000;
  const renewed = Date.parse(spec?.renewTime ?? '');
  const received = Math.max(...(metadata.managedFields ?? []).filter(ownsRenewTime).map(({ time }) => Date.parse(time ?? '')));
  const isPlausible = renewed > received && renewed <= received + 1000 + duration;
  const expiry = (isPlausible || !Number.isFinite(received) ? renewed : received) + duration;
  return Number.isFinite(expiry) ? expiry : undefined;
}

function ownsRenewTime({ manager, fieldsV1 }: ManagedFieldsEntry): boolean {
  const spec = fieldsV1?.['f:spec'] as Readonly<Record<string, unknown>> | undefined;
  return manager !== SQL_MANAGER && spec?.['f:renewTime'] !== undefined;
}
