import type { JSX } from 'preact';
import { asSentence } from '../text/as-sentence.js';

export function Asking({ failure }: { readonly failure?: Error | undefined }): JSX.Element {
  return (
    <main class="asking">
      <span class="spinner" aria-hidden="true" />
      <p role="status">{failure ? `${asSentence(failure.message)} Trying again…` : 'Connecting…'}</p>
    </main>
  );
}
