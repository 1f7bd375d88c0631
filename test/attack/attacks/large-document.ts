import type { Attacker } from '../attacker.js';
import { IDLER_TOKENS, requestFields } from '../identities.js';
import type { Field } from '../wire/hpack-encoder.js';

/**
 * Requests the largest document that needs no rights. kube-apiserver has no Swagger UI, and shows its own documents to authenticated users
 * only.
 */
export function largeDocument({ isForeign }: Attacker): Field[] {
  return isForeign ? requestFields('GET', '/openapi/v2', IDLER_TOKENS[0]) : requestFields('GET', '/swagger/openapi.json');
}
