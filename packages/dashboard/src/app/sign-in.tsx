import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiFailure, needsAddress } from '../api/api-client.js';
import { CopyLine } from '../shell/copy-line.js';
import { beginSignIn } from '../sign-in/begin-sign-in.js';
import { type SignInOffer, hostOf } from '../sign-in/sign-in-offer.js';
import { programCall } from '../text/kubectl-lines.js';
import { showText } from '../text/show-text.js';
import { Mark } from './header.js';

interface SignInProps {
  readonly onToken: (token: string, remember: boolean) => void;
  readonly failure: ApiFailure | undefined;
  readonly offer: SignInOffer | undefined;
}

export function SignIn(props: SignInProps): JSX.Element {
  const { failure } = props;
  return <main class="sign-in">{failure && needsAddress(failure) ? <AddressRequired /> : <TokenForm {...props} />}</main>;
}

/** The command holds the credentials here; a token would have no effect. */
function AddressRequired(): JSX.Element {
  return (
    <div class="card sign-in-card" role="alert">
      <Title />
      <p>
        This page is only for the user who started <code>coordination-apiserver ui</code>. Open the address that it has printed in the
        terminal: a new one each time it starts.
      </p>
    </div>
  );
}

function Title(): JSX.Element {
  return (
    <div class="sign-in-title">
      <Mark />
      <h1>Leases</h1>
    </div>
  );
}

function TokenForm({ onToken, failure, offer }: SignInProps): JSX.Element {
  const [token, setToken] = useState('');
  const [remember, setRemember] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    const trimmed = token.trim().replace(/^Bearer\s+/i, '');
    if (trimmed !== '') onToken(trimmed, remember);
  };
  return (
    <form class="card sign-in-card" onSubmit={submit}>
      <Title />
      <p class="muted">Current and past leaders, and late renewals.{offer ? '' : ' Sign in with a bearer token of this server.'}</p>
      {failure && (
        <p class="notice notice-bad" role="alert">
          {explain(failure)}
        </p>
      )}
      {offer && <IssuerSignIn offer={offer} />}
      <label class="field">
        <span>Token</span>
        <input
          type="password"
          name="token"
          autocomplete="off"
          spellcheck={false}
          autofocus={!offer}
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} />
        <span>Remember it on this computer, not just in this tab</span>
      </label>
      <button class={offer ? 'button' : 'button button-primary'} type="submit">
        Sign in
      </button>
      <div class="sign-in-help">
        <p>The admin’s token, on the server’s machine:</p>
        <CopyLine line={`${programCall()} token`} />
        <p>Or without a token, with your own kubeconfig:</p>
        <CopyLine line={`${programCall()} ui`} />
      </div>
    </form>
  );
}

function explain({ status, message }: ApiFailure): string {
  if (status === 401) return 'The server does not know this token, or it has expired.';
  if (status === 403) return `The server accepts the token, but you may not ask for your own user name: ${showText(message, 400)}`;
  return showText(message, 400);
}

/** Leads to the issuer and back. */
function IssuerSignIn({ offer }: { readonly offer: SignInOffer }): JSX.Element {
  const [failure, setFailure] = useState<string>();
  const { endpoints } = offer;
  const host = showText(hostOf(offer));
  const leave = (): void => {
    if (!endpoints) return;
    beginSignIn(offer, endpoints.authorization).catch((error: unknown) =>
      setFailure(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div class="sign-in-issuer">
      {endpoints ? (
        <button class="button button-primary" type="button" onClick={leave}>
          Sign in with {host}
        </button>
      ) : (
        <p class="notice" role="status">
          The server cannot reach {host}, where users sign in. Reload the page to try again, or use a token.
        </p>
      )}
      {failure !== undefined && (
        <p class="notice notice-bad" role="alert">
          {showText(failure, 400)}
        </p>
      )}
      <p class="sign-in-or">or with a token</p>
    </div>
  );
}
