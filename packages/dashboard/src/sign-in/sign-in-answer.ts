import type { PendingSignIn } from './pending-sign-in.js';
import { SignInError } from './sign-in-error.js';
import type { SignInOffer } from './sign-in-offer.js';

/** What the issuer has added to the page's address. */
export interface SignInAnswer {
  readonly code: string | null;
  readonly error: string | null;
  readonly description: string | null;
  readonly state: string | null;
  /** The issuer's name for itself (RFC 9207). */
  readonly issuer: string | null;
}

/** Undefined if the address contains no answer. */
export function parseAnswer(search: string): SignInAnswer | undefined {
  const query = new URLSearchParams(search);
  const [code, error] = [query.get('code'), query.get('error')];
  if (code === null && error === null) return undefined;
  return { code, error, description: query.get('error_description'), state: query.get('state'), issuer: query.get('iss') };
}

/** A code, and the sign-in to which it belongs. */
export interface GrantedSignIn {
  readonly code: string;
  readonly pending: PendingSignIn;
}

/**
 * Matches an answer to the sign-in that the tab has begun. Throws a SignInError. Anybody can make a link that looks like an answer, so
 * nothing of an answer to something that this tab has not asked is used or shown.
 */
export function grantedSignIn(answer: SignInAnswer, pending: PendingSignIn | undefined, { issuer }: SignInOffer): GrantedSignIn {
  if (!pending || answer.state !== pending.state) {
    throw new SignInError('This tab has received the answer to a sign-in that it did not begin. Try again.');
  }
  if (answer.issuer !== null && answer.issuer !== issuer) throw new SignInError('Another issuer has answered the sign-in. Try again.');
  if (answer.code === null || answer.error !== null) throw new SignInError(refusalText(answer.error, answer.description));
  return { code: answer.code, pending };
}

/** An OAuth 2.0 error as text (RFC 6749 sections 4.1.2.1 and 5.2). */
export function refusalText(error: unknown, description: unknown): string {
  const code = typeof error === 'string' ? error : 'no reason given';
  return `The sign-in was refused: ${typeof description === 'string' && description !== '' ? `${description} (${code})` : code}`;
}
