import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { beginSignIn } from '../sign-in/begin-sign-in.js';
import { type SignInOffer, hostOf } from '../sign-in/sign-in-offer.js';
import { showText } from '../text/show-text.js';

/** Leads to the issuer and back. */
export function IssuerSignIn({ offer }: { readonly offer: SignInOffer }): JSX.Element {
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
