import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { leaseSpecV1Schema, leaseV1Schema } from './v1/lease-v1.schema.js';

/** The spec of a lease. Absent is not the same as '' or 0. Times are MicroTimes, such as `2006-01-02T15:04:05.000000Z`. */
export type LeaseSpec = TypeOf<typeof leaseSpecV1Schema>;

/** The hub type of leases; it has the shape of v1. */
export type Lease = TypeOf<typeof leaseV1Schema>;
