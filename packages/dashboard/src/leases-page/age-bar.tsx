import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LeaseState } from '../leases/lease-state.js';

interface AgeBarProps {
  /** Undefined: it does not run out, and the bar stays empty. */
  readonly durationMs: number | undefined;
  readonly renewedAt: number | undefined;
  readonly state: LeaseState;
  /** The server's clock. */
  readonly now: () => number;
}

/**
 * The time since the last renewal, as a part of the lease's duration. It runs by itself, in the browser's compositor, and is set anew by
 * a renewal alone: a hundred of them cost nothing while nothing happens.
 */
export function AgeBar({ durationMs, renewedAt, state, now }: AgeBarProps): JSX.Element {
  const fill = useRef<HTMLSpanElement>(null);
  const runs = durationMs !== undefined && renewedAt !== undefined && (state === 'held' || state === 'due' || state === 'expired');
  useEffect(() => {
    const element = fill.current;
    if (!element || !runs) return;
    const running = element.animate([{ transform: 'scaleX(0)' }, { transform: 'scaleX(1)' }], { duration: durationMs, fill: 'both' });
    running.currentTime = Math.max(0, now() - renewedAt);
    return () => running.cancel();
  }, [runs, durationMs, renewedAt, now]);
  return (
    <span class={`age-bar state-${state}${runs ? '' : ' age-bar-still'}`} aria-hidden="true">
      <span class="age-bar-fill" ref={fill} />
    </span>
  );
}
