import { jwtClaims } from './jwt-claims.js';

/** Browsers run timers of more than 24 days at once. */
const LONGEST_TIMER_MS = 2 ** 30;

/** When a token expires, in milliseconds; undefined if it does not say. */
export function expiryOf(token: string): number | undefined {
  const exp = jwtClaims(token)?.['exp'];
  return typeof exp === 'number' ? exp * 1000 : undefined;
}

/** Calls `tell` once the token has expired by the clock `now`. Returns a function that cancels that. */
export function onExpiry(token: string | undefined, now: () => number, tell: () => void): () => void {
  const at = token === undefined ? undefined : expiryOf(token);
  if (at === undefined) return () => undefined;
  let timer: ReturnType<typeof setTimeout>;
  const wait = (): void => {
    const left = at - now();
    timer = setTimeout(left <= 0 ? tell : wait, Math.min(Math.max(left, 0), LONGEST_TIMER_MS));
  };
  wait();
  return () => clearTimeout(timer);
}
