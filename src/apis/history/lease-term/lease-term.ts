import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { leaseTermV1Schema } from './v1/lease-term-v1.schema.js';

/** The hub type of terms; it has the shape of v1. The store composes it (migrations/functions/terms.sql). */
export type LeaseTerm = TypeOf<typeof leaseTermV1Schema>;
