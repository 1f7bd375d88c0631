import type { JSX } from 'preact';

export function Asking({ failure }: { readonly failure?: Error | undefined }): JSX.Element {
  return (
    <main class="asking">
      <span class="spinner" aria-hidden="true" />
      <p role="status">{failure ? `${failure.message} Trying again…` : 'Connecting…'}</p>
    </main>
  );
}
