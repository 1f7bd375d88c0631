import { render } from 'preact';
import { ApiFailure } from './api/api-client.js';
import { App, Asking } from './app/app.js';
import { keepPageKey, pageKey } from './session/page-key.js';
import { finishSignIn } from './sign-in/finish-sign-in.js';
import { readOffer } from './sign-in/sign-in-offer.js';
import { applyTheme, readTheme } from './theme/theme.js';

applyTheme(readTheme());
const key = pageKey();
keepPageKey();
const root = document.getElementById('app');
if (root) void start(root);

async function start(at: HTMLElement): Promise<void> {
  const offer = readOffer(document);
  render(<Asking />, at);
  const failure = offer && (await finishSignIn(offer));
  render(<App pageKey={key} offer={offer} failure={failure && new ApiFailure(0, failure.message)} />, at);
}
