import { CompactSign } from 'jose';
import { serviceAccountUserName } from '../special-users.js';
import type { ServiceAccountClaims, ServiceAccountRef } from './service-account-claims.js';
import type { SigningKey } from './token-key.js';

/** The contents of a new token. */
export interface TokenWish {
  readonly account: ServiceAccountRef;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Identifies the token (`jti`). */
  readonly id: string;
  /** In milliseconds. */
  readonly now: number;
}

/** Signs service account tokens. */
export class ServiceAccountTokenIssuer {
  readonly #issuer: string;
  readonly #key: SigningKey;

  /** `issuer`: the `iss` of the tokens. */
  constructor(issuer: string, key: SigningKey) {
    this.#issuer = issuer;
    this.#key = key;
  }

  issue({ account, audiences, expirationSeconds, id, now }: TokenWish): Promise<string> {
    const { namespace, name, uid } = account;
    const seconds = Math.floor(now / 1000);
    const claims: ServiceAccountClaims = {
      aud: audiences,
      exp: seconds + expirationSeconds,
      iat: seconds,
      iss: this.#issuer,
      jti: id,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      nbf: seconds,
      sub: serviceAccountUserName(account),
    };
    return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: this.#key.algorithm, kid: this.#key.id })
      .sign(this.#key.privateKey);
  }
}
