import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { serviceAccountV1Schema } from './v1/service-account-v1.schema.js';

/** The hub type of service accounts; it has the shape of v1. */
export type ServiceAccount = TypeOf<typeof serviceAccountV1Schema>;
