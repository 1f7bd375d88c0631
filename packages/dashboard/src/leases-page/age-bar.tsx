import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LeaseState } from '../leases/lease-state.js';
import { useServices } from '../shell/services.js';

interface AgeBarProps {
  /** Undefined: the lease does not expire, and the bar stays empty. */
  readonly durationMs: number | undefined;
  readonly renewedAt: number | undefined;
  readonly state: LeaseState;
  /** The time on the server's clock. */
  readonly now: () => number;
}

/**
 * The time since the last renewal, as a fraction of the lease's duration. The browser's compositor animates the bar, and only a renewal
 * restarts it: a hundred bars cost nothing while nothing happens.
 */
export function AgeBar({ durationMs, renewedAt, state, now }: AgeBarProps): JSX.Element {
  const isSilent = useServices().clock.silentMs > 0;
  const fill = useRef<HTMLSpanElement>(null);
  const runs = durationMs !== undefined && renewedAt !== undefined && (state === 'held' || state === 'due' || state === 'expired');
  useEffect(() => {
    const element = fill.current;
    if (!element || !runs) return;
    const running = element.animate([{ transform: 'scaleX(0)' }, { transform: 'scaleX(1)' }], { duration: durationMs, fill: 'both' });
    running.currentTime = Math.max(0, now() - renewedAt);
    if (isSilent) running.pause();
    return () => running.cancel();
  }, [runs, durationMs, renewedAt, now, isSilent]);
  return (
    <span class={`age-bar state-${state}${runs ? '' : ' age-bar-still'}`} aria-hidden="true">
      <span class="age-bar-fill" ref={fill} />
    </span>
  );
}
