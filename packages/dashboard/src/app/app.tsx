import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiClient } from '../api/api-client.js';
import { ApiFailure, needsAddress } from '../api/api-failure.js';
import { backoffMs } from '../api/backoff.js';
import { ServerClock } from '../clock/server-clock.js';
import { forgetToken, keepToken, keptToken } from '../session/kept-token.js';
import { askOtherTabs } from '../session/page-key.js';
import { onExpiry } from '../session/token-expiry.js';
import { type Who, ANONYMOUS, whoAmI } from '../session/who-am-i.js';
import type { SignInOffer } from '../sign-in/sign-in-offer.js';
import { Asking } from './asking.js';
import { Dashboard } from './dashboard.js';
import { SignIn } from './sign-in.js';

type Session =
  | { readonly phase: 'asking'; readonly failure?: ApiFailure }
  | { readonly phase: 'out'; readonly failure?: ApiFailure | undefined }
  | { readonly phase: 'in'; readonly who: Who };

/** The API is next to the page: `/ui/` and `/apis`, also below another path. */
const API_ROOT = new URL('../', document.baseURI).href;

interface AppProps {
  /** Proves to `coordination-apiserver ui` that its user has opened the page. */
  readonly pageKey: string | undefined;
  /** How users can sign in at an issuer, if they can. */
  readonly offer: SignInOffer | undefined;
  /** Why such a sign-in has just failed. */
  readonly failure: ApiFailure | undefined;
}

/** Asks the server who the user is, and shows the sign-in if the server does not know. */
export function App({ pageKey, offer, failure }: AppProps): JSX.Element {
  const clock = useRef(new ServerClock()).current;
  const [token, setToken] = useState(keptToken);
  const [session, setSession] = useState<Session>(failure ? { phase: 'out', failure } : { phase: 'asking' });
  const inside = useRef(false);
  inside.current = session.phase === 'in';
  const signOut = useCallback((failure?: ApiFailure) => {
    forgetToken();
    setToken(undefined);
    setSession({ phase: 'out', failure });
  }, []);
  const client = useMemo(
    () =>
      new ApiClient({
        root: API_ROOT,
        token,
        pageKey,
        now: clock.localNow,
        onDate: clock.learn,
        onWord: clock.hear,
        // At the beginning, it is whoever asks for the user who decides.
        onUnknownUser: (failure) => void (inside.current && signOut(failure)),
      }),
    [token, pageKey, clock, signOut],
  );

  useEffect(() => {
    const abort = new AbortController();
    void askWho(client, abort.signal, token !== undefined, setSession);
    return () => abort.abort();
  }, [client, token]);

  const signIn = useCallback((given: string, remember: boolean) => {
    keepToken(given, remember);
    setSession({ phase: 'asking' });
    setToken(given);
  }, []);
  const isIn = session.phase === 'in';
  // Only then the server's clock is known, by which the token expires.
  useEffect(
    () => (isIn ? onExpiry(token, clock.running, () => signOut(new ApiFailure(0, 'Your token has expired. Sign in again.'))) : undefined),
    [isIn, token, clock, signOut],
  );

  if (session.phase === 'in') return <Dashboard {...{ client, clock, who: session.who, signOut, canSignOut: token !== undefined }} />;
  if (session.phase === 'asking') return <Asking failure={session.failure} />;
  return <SignIn onToken={signIn} failure={session.failure} offer={offer} />;
}

/** Retries until there is a response, since the server may be starting. A user who has signed out stays signed out. */
async function askWho(
  client: ApiClient,
  signal: AbortSignal,
  hasToken: boolean,
  tell: (next: (last: Session) => Session) => void,
): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      const who = await whoAmI(client, signal);
      return tell((last) => (last.phase === 'out' && who.name === ANONYMOUS ? last : { phase: 'in', who }));
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof ApiFailure ? error : new ApiFailure(0, String(error));
      if (needsAddress(failure) && (await askOtherTabs())) return location.reload();
      if (failure.status === 401 || failure.status === 403) {
        if (hasToken) forgetToken();
        return tell((last) =>
          last.phase === 'out' ? last : { phase: 'out', failure: hasToken || needsAddress(failure) ? failure : undefined },
        );
      }
      tell(() => ({ phase: 'asking', failure }));
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures, Math.random())));
      if (signal.aborted) return;
    }
  }
}
