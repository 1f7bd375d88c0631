import type { JSX } from 'preact';
import { useServices } from '../shell/services.js';
import { useTick } from '../shell/use-tick.js';
import { asSentence } from '../text/as-sentence.js';
import { showText } from '../text/show-text.js';
import { showWhole } from '../text/show-time.js';

/** Tells that the server has fallen silent, for how long, why, and what that means for what is shown. */
export function SilenceNotice(): JSX.Element | null {
  const { clock } = useServices();
  useTick();
  const { silentMs, why } = clock;
  if (silentMs === 0) return null;
  return (
    <p class="notice notice-warn" role="alert">
      {why === undefined ? 'The server does not answer.' : `The server does not tell about its leases: ${asSentence(showText(why, 300))}`}{' '}
      Everything is shown as it was at its last word
      <span aria-hidden="true">, {showWhole(silentMs)} ago</span>: what has happened since is unknown.
    </p>
  );
}
