/** How users sign in at an issuer of OpenID Connect, as the server has written it into the page. */
export interface SignInOffer {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Absent while the server cannot reach the issuer. */
  readonly endpoints?: { readonly authorization: string; readonly token: string };
}

/** Undefined where users can only sign in with a token. */
export function readOffer(page: Document): SignInOffer | undefined {
  const content = page.querySelector('meta[name="sign-in"]')?.getAttribute('content') ?? '';
  return content === '' ? undefined : (JSON.parse(content) as SignInOffer);
}

/** The issuer's name for users. */
export function hostOf({ issuer }: SignInOffer): string {
  return new URL(issuer).host;
}

/** Why a sign-in at the issuer has failed; the message is for its user and may contain texts of the issuer. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

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

/** The page's own address, to which the issuer leads back. It must be registered there. */
export function pageUrl(): string {
  return location.origin + location.pathname;
}

/** 256 random bits, as a verifier (RFC 7636 section 4.1), a state or a nonce. */
export function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The S256 challenge of a verifier (RFC 7636 section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
