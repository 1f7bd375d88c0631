import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { tokenRequestV1Schema } from './v1/token-request-v1.schema.js';

/** authentication.k8s.io/v1 TokenRequest. */
export type TokenRequest = TypeOf<typeof tokenRequestV1Schema>;

/** The object that a token is bound to. */
export type BoundObjectReference = NonNullable<TokenRequest['spec']['boundObjectRef']>;
