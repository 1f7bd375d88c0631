import type { JSX } from 'preact';
import { showLocal, showMoment } from './show-time.js';

/** A time in UTC, which its surroundings say, and the same by the clock of the reader, where that differs. */
export function Moment({ at, now }: { readonly at: number; readonly now: number }): JSX.Element {
  const local = showLocal(at, now);
  return (
    <>
      <span class="utc">{showMoment(at, now)}</span>
      {local !== undefined && <span class="local-time"> {local}</span>}
    </>
  );
}
