import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { ApiClient, ApiFailure, needsAddress } from '../api/api-client.js';
import { backoffMs } from '../api/follow-list.js';
import { ServerClock } from '../clock/server-clock.js';
import { askOtherTabs } from '../session/page-key.js';
import { forgetToken, keepToken, keptToken, onExpiry } from '../session/token-expiry.js';
import { type Who, ANONYMOUS, whoAmI } from '../session/who-am-i.js';
import type { SignInOffer } from '../sign-in/sign-in-offer.js';
import { asSentence } from '../text/show-text.js';
import { Dashboard } from './dashboard.js';
import { SignIn } from './sign-in.js';

type Session =
  | { readonly phase: 'asking'; readonly failure?: ApiFailure }
  | { readonly phase: 'out'; readonly failure?: ApiFailure | undefined }
  | { readonly phase: 'in'; readonly who: Who };

/** `coordination-apiserver ui` has the credentials, so that signing in would have no effect; it reads them again when they are refused. */
const EXPIRED =
  'The server does not accept the credentials of the kubeconfig, or not any more. Once they are renewed, this page goes on by itself.';

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
  const isIn = session.phase === 'in';
  const inside = useRef(false);
  inside.current = isIn;
  const [asks, askAgain] = useReducer<number, void>((count) => count + 1, 0);
  const signOut = useCallback((failure?: ApiFailure) => {
    forgetToken();
    setToken(undefined);
    setSession({ phase: 'out', failure });
  }, []);
  const onUnknownUser = useCallback(
    (failure: ApiFailure) => {
      // At the beginning, it is whoever asks for the user who decides.
      if (!inside.current) return;
      if (pageKey === undefined || needsAddress(failure)) return signOut(failure);
      inside.current = false;
      setSession({ phase: 'asking', failure: new ApiFailure(401, EXPIRED) });
      askAgain();
    },
    [pageKey, signOut],
  );
  const client = useMemo(
    () => new ApiClient({ root: API_ROOT, token, pageKey, now: clock.localNow, onDate: clock.learn, onUnknownUser }),
    [token, pageKey, clock, onUnknownUser],
  );

  useEffect(() => {
    const abort = new AbortController();
    void askWho({ client, signal: abort.signal, hasToken: token !== undefined, hasKey: pageKey !== undefined }, setSession);
    return () => abort.abort();
  }, [client, token, pageKey, asks]);

  const signIn = useCallback((given: string, remember: boolean) => {
    keepToken(given, remember);
    setSession({ phase: 'asking' });
    setToken(given);
  }, []);
  // Only then the server's clock is known, by which the token expires.
  useEffect(
    () => (isIn ? onExpiry(token, clock.running, () => signOut(new ApiFailure(0, 'Your token has expired. Sign in again.'))) : undefined),
    [isIn, token, clock, signOut],
  );

  if (session.phase === 'in') return <Dashboard {...{ client, clock, who: session.who, signOut, canSignOut: token !== undefined }} />;
  return session.phase === 'asking' ? (
    <Asking failure={session.failure} />
  ) : (
    <SignIn {...{ onToken: signIn, failure: session.failure, offer }} />
  );
}

interface Asker {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly hasToken: boolean;
  readonly hasKey: boolean;
}

/** Retries until there is a response, since the server may be starting. A user who has signed out stays signed out. */
async function askWho({ client, signal, hasToken, hasKey }: Asker, tell: (next: (last: Session) => Session) => void): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      const who = await whoAmI(client, signal);
      return tell((last) => (last.phase === 'out' && who.name === ANONYMOUS ? last : { phase: 'in', who }));
    } catch (error) {
      if (signal.aborted) return;
      const failure = asFailure(error, hasKey);
      if (needsAddress(failure) && (await askOtherTabs())) return location.reload();
      if ((failure.status === 401 && !hasKey) || failure.status === 403) {
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

function asFailure(error: unknown, hasKey: boolean): ApiFailure {
  if (!(error instanceof ApiFailure)) return new ApiFailure(0, String(error));
  return hasKey && error.status === 401 ? new ApiFailure(401, EXPIRED) : error;
}

export function Asking({ failure }: { readonly failure?: Error | undefined }): JSX.Element {
  return (
    <main class="asking">
      <span class="spinner" aria-hidden="true" />
      <p role="status">{failure ? `${asSentence(failure.message)} Trying again…` : 'Connecting…'}</p>
    </main>
  );
}
