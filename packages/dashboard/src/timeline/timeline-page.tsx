import type { JSX } from 'preact';
import type { ObservedLease } from '../leases/observed-lease.js';
import type { Sighting } from '../leases/sighting.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { showText } from '../text/show-text.js';
import { showClock, showDuration } from '../text/show-time.js';
import { Lane } from './lane.js';

const MOST_LANES = 20;
const MOST_SIGHTINGS = 200;

/** Takeovers, releases and late renewals that this tab has observed. */
export function TimelinePage(): JSX.Element {
  const { live } = useServices();
  useLive(live.changed);
  const { sightings, leases } = live.store;
  const latest = sightings.slice(-MOST_SIGHTINGS).reverse();
  const lanes = lanesOf(latest, leases);
  return (
    <>
      <div class="page-title">
        <h1>Timeline</h1>
        <p class="muted">What this tab has seen since it was opened. The server keeps no history of terms yet.</p>
      </div>
      {latest.length === 0 ? (
        <div class="empty card">
          <h2>All quiet</h2>
          <p class="muted">Takeovers, releases and late renewals appear here, with the previous holder and the time without a renewal.</p>
        </div>
      ) : (
        <>
          {lanes.length > 0 && (
            <section class="card lanes" aria-label="Leases with changes during the last ten minutes">
              {lanes.map((lease) => (
                <LaneRow key={lease.key} lease={lease} />
              ))}
            </section>
          )}
          <Sightings sightings={latest} />
        </>
      )}
    </>
  );
}

/** Leases with observed changes, the latest first. */
function lanesOf(latest: readonly Sighting[], leases: ReadonlyMap<string, ObservedLease>): ObservedLease[] {
  const keys = [...new Set(latest.map(({ key }) => key))];
  return keys.flatMap((key) => leases.get(key) ?? []).slice(0, MOST_LANES);
}

function LaneRow({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { href } = useServices();
  const { namespace, name } = lease;
  return (
    <div class="lane-row">
      <a href={href({ page: 'lease', namespace, name, tab: 'overview' })}>
        <span class="namespace">{showText(namespace)}/</span>
        <bdi>{showText(name)}</bdi>
      </a>
      <Lane lease={lease} />
    </div>
  );
}

function Sightings({ sightings }: { readonly sightings: readonly Sighting[] }): JSX.Element {
  const { clock, href } = useServices();
  return (
    <div class="card table-scroll" tabIndex={0} role="region" aria-label="Observed changes">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">At</th>
            <th scope="col">Lease</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {sightings.map((sighting) => (
            <tr key={`${sighting.key} ${sighting.at} ${sighting.what}`}>
              <td class="number">{showClock(sighting.at - clock.offsetMs)}</td>
              <td>
                <a href={href({ page: 'lease', namespace: sighting.namespace, name: sighting.name, tab: 'overview' })}>
                  <span class="namespace">{showText(sighting.namespace)}/</span>
                  <bdi>{showText(sighting.name)}</bdi>
                </a>
              </td>
              <td class="wide">{inWords(sighting)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inWords({ what, holder, before, silentMs }: Sighting): JSX.Element {
  const now = <bdi class="holder">{showText(holder)}</bdi>;
  const former = <bdi class="holder">{showText(before)}</bdi>;
  const silence = silentMs === undefined ? '' : `, ${showDuration(silentMs)} after the last renewal`;
  switch (what) {
    case 'created':
      return <>created without a holder</>;
    case 'deleted':
      return before === '' ? <>deleted</> : <>deleted; {former} held it</>;
    case 'acquired':
      return <>acquired by {now}</>;
    case 'taken-over':
      return (
        <>
          taken over by {now} from {former}
          {silence}
        </>
      );
    case 'released':
      return <>released by {former}</>;
    case 'late':
      return (
        <>
          renewed late by {now}
          {silence}
        </>
      );
  }
}
