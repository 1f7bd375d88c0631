import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { renewalsPerSecond } from '../leases/lease-query.js';
import { type LeaseState, type ObservedLease, leaseState } from '../leases/observed-lease.js';
import { useServices } from '../shell/services.js';
import { Elided, LeaseName, leaseTitle } from '../text/lease-name.js';
import { showText } from '../text/show-text.js';
import { showDuration, showRate } from '../text/show-time.js';
import { STATE_MEANINGS, STATE_NAMES, StateBadge, StateIcon } from './state-badge.js';

interface LeaseRowProps {
  readonly lease: ObservedLease;
  readonly index: number;
  readonly top: number;
  /** Whether Tab moves the focus to this row. */
  readonly isActive: boolean;
}

/** A row of the table. It is rendered again only when something visible in it changes. */
export function LeaseRow({ lease, index, top, isActive }: LeaseRowProps): JSX.Element {
  const { clock, recent, href } = useServices();
  const now = clock.now();
  const state = leaseState(lease, clock.known());
  const flapping = recent.flaps(lease, now);
  const age = showAge(lease, now);
  const rate = showRate(renewalsPerSecond(lease, now));
  const { namespace, name, holder, durationMs, renewedAt, transitions } = lease;
  const address = href({ page: 'lease', namespace, name, tab: 'overview' });
  return useMemo(
    () => (
      <div role="row" class="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
        <span role="gridcell" class="cell cell-state">
          <StateBadge state={state} />
          {flapping && (
            <span class="flapping" title={`${STATE_NAMES.flapping}. ${STATE_MEANINGS.flapping}`}>
              <StateIcon state="flapping" />
              <span class="sr-only">{STATE_NAMES.flapping}</span>
            </span>
          )}
        </span>
        <span role="gridcell" class="cell cell-name">
          <a href={address} tabIndex={isActive ? 0 : -1} data-row={index} title={leaseTitle(lease)} aria-label={leaseTitle(lease)}>
            <LeaseName namespace={namespace} name={name} />
          </a>
        </span>
        <span role="gridcell" class="cell cell-holder" title={showText(holder)}>
          {holder === '' ? <span class="muted">nobody</span> : <Elided text={holder} />}
        </span>
        <span role="gridcell" class="cell cell-age">
          <AgeBar {...{ durationMs, renewedAt, state, now: clock.now }} />
          <span class="age">{age}</span>
        </span>
        <span role="gridcell" class="cell cell-rate">
          {rate}
        </span>
        <span role="gridcell" class="cell cell-term">
          {transitions.toLocaleString('en')}
        </span>
      </div>
    ),
    [lease, index, top, isActive, state, flapping, age, rate, address, clock],
  );
}

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

/** The time since the last renewal in whole seconds, and for a lease with a duration, out of how many. */
export function showAge({ renewedAt, durationMs, holder }: ObservedLease, now: number): string {
  if (renewedAt === undefined) return holder === '' ? '' : 'no renewals';
  const age = Math.max(0, now - renewedAt);
  const text = age < 10_000 ? `${Math.floor(age / 1000)} s` : showDuration(age);
  // For a late renewal the delay says more than the duration.
  return durationMs === undefined || holder === '' || age >= durationMs ? text : `${text} / ${showSeconds(durationMs)}`;
}

function showSeconds(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : showDuration(ms);
}
