import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { renewalsPerSecond } from '../leases/lease-query.js';
import { leaseState } from '../leases/lease-state.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { useServices } from '../shell/services.js';
import { LeaseName, leaseTitle } from '../text/lease-name.js';
import { Elided } from '../text/elided.js';
import { showText } from '../text/show-text.js';
import { showRate } from '../text/show-time.js';
import { AgeBar } from './age-bar.js';
import { showAge } from './show-age.js';
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
