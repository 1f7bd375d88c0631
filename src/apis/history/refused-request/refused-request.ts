import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { refusedRequestV1Schema } from './v1/refused-request-v1.schema.js';

/** The hub type of refused requests; it has the shape of v1. */
export type RefusedRequest = TypeOf<typeof refusedRequestV1Schema>;
