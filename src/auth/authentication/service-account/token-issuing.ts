import type { ServiceAccountTokenIssuer } from './token-issuer.js';

/** Issues service account tokens. The class is the injection token. */
export abstract class TokenIssuing {
  abstract readonly issuer: ServiceAccountTokenIssuer;
  /** The audiences of tokens requested without any. */
  abstract readonly audiences: readonly string[];
  /** Maximum lifetime of a token; 0 means no limit. */
  abstract readonly maxExpirationSeconds: number;
}
