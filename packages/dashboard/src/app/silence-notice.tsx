import type { JSX } from 'preact';
import { useServices } from '../shell/services.js';
import { useTick } from '../shell/use-tick.js';

/** Tells that the server has fallen silent, for how long, and what that means for what is shown. */
export function SilenceNotice(): JSX.Element | null {
  const { clock } = useServices();
  useTick();
  const { silentMs } = clock;
  if (silentMs === 0) return null;
  return (
    <p class="notice notice-warn" role="alert">
      The server does not answer. Everything is shown as it was at its last word
      <span aria-hidden="true">, {Math.round(silentMs / 1000)} s ago</span>: what has happened since is unknown.
    </p>
  );
}
