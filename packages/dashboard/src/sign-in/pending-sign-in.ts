const KEY = 'coordination-apiserver-sign-in';

/** A sign-in for which the tab is away at the issuer. */
export interface PendingSignIn {
  /** Returned with the code: the answer belongs to this sign-in. */
  readonly state: string;
  /** Returned in the ID token: it was issued for this sign-in. */
  readonly nonce: string;
  /** Proves to the issuer that the code is redeemed by the page that asked for it. */
  readonly verifier: string;
  /** The place in the page to which the user returns. */
  readonly hash: string;
}

export function keepPending(storage: Storage, pending: PendingSignIn): void {
  storage.setItem(KEY, JSON.stringify(pending));
}

/** The sign-in that the tab has begun, if any. It can be taken once. */
export function takePending(storage: Storage): PendingSignIn | undefined {
  const kept = storage.getItem(KEY);
  storage.removeItem(KEY);
  return kept === null ? undefined : (JSON.parse(kept) as PendingSignIn);
}
