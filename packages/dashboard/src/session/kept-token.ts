const KEY = 'coordination-apiserver-token';

/** The token of this tab, or the one that its user asked to be remembered. */
export function keptToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;
}

/** Keeps a token as long as the tab is open, or until somebody signs out if it is to be remembered. */
export function keepToken(token: string, remember: boolean): void {
  forgetToken();
  (remember ? localStorage : sessionStorage).setItem(KEY, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}
