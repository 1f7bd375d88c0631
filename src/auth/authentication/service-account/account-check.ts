import { AuthenticationError } from '../authentication-error.js';
import type { ServiceAccountRef } from './service-account-claims.js';
import type { KnownServiceAccount, ServiceAccountIndex } from './service-account-index.js';

/** An account held by finalizers has no valid tokens from this long after its deletion time (go-jose DefaultLeeway). */
const DELETION_LEEWAY_MS = 60_000;

/**
 * Checks that the service account of a token still exists (kubernetes pkg/serviceaccount/claims.go Validate). The index is checked first;
 * an account that it does not confirm is read from the store. A deleted account never returns with the same uid, so its tokens remain
 * refused.
 */
export class AccountCheck {
  readonly #account: ServiceAccountRef;
  readonly #index: ServiceAccountIndex;
  readonly #now: () => number;
  #gone: AuthenticationError | undefined;

  constructor(account: ServiceAccountRef, index: ServiceAccountIndex, now: () => number) {
    this.#account = account;
    this.#index = index;
    this.#now = now;
  }

  check(): void | Promise<void> {
    if (this.#gone) throw this.#gone;
    const { namespace, name, uid } = this.#account;
    const known = this.#index.get(namespace, name);
    if (known?.uid === uid && known.deletedAt === undefined) return;
    return this.#index.read(namespace, name).then((found) => this.#judge(found));
  }

  #judge(found: KnownServiceAccount | undefined): void {
    const { namespace, name, uid } = this.#account;
    if (!found) this.#refuse(`serviceaccounts "${name}" not found`);
    else if (found.uid !== uid) this.#refuse(`service account UID (${found.uid}) does not match claim (${uid})`);
    else if (found.deletedAt !== undefined && found.deletedAt < this.#now() - DELETION_LEEWAY_MS) {
      this.#refuse(`service account ${namespace}/${name} has been deleted`);
    }
  }

  #refuse(text: string): never {
    this.#gone = new AuthenticationError(text);
    throw this.#gone;
  }
}
