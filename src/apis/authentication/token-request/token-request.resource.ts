import { reviewDefinition } from '../../../registry/resource/review-definition.js';
import { AUTHENTICATION_GROUP } from '../authentication.schema.js';
import type { TokenRequest } from './token-request.js';
import { tokenRequestV1Schema } from './v1/token-request-v1.schema.js';

/** The default lifetime of a token, in seconds. */
export const HOUR = 3600;

const review = reviewDefinition<TokenRequest>({
  group: AUTHENTICATION_GROUP,
  resource: 'tokenrequests',
  kind: 'TokenRequest',
  namespaced: true,
  schema: tokenRequestV1Schema,
  example: { metadata: { name: 'example' }, spec: { expirationSeconds: HOUR } },
});
const version = { ...review.storageVersion, setDefaults };

/** The object posted to serviceaccounts/NAME/token. It is not a resource of its own. */
export const tokenRequestDefinition = { ...review, versions: [version], storageVersion: version };

function setDefaults(request: TokenRequest): void {
  if (request.spec?.expirationSeconds === undefined) request.spec = { ...request.spec, expirationSeconds: HOUR };
}
