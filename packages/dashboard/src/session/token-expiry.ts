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

/** The claims of a JSON Web Token, unverified; undefined for other tokens. */
export function jwtClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? (claims as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Not a JWT, which no token has to be.
    return undefined;
  }
}

const KEY = 'coordination-apiserver-token';

/** The token of this tab, or the remembered one. */
export function keptToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;
}

/** Keeps a token while the tab is open or, if it is to be remembered, until the user signs out. */
export function keepToken(token: string, remember: boolean): void {
  forgetToken();
  (remember ? localStorage : sessionStorage).setItem(KEY, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}
