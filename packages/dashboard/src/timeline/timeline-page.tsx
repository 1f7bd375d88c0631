import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { FilterBar } from '../leases-page/filter-bar.js';
import { type Flaps, searchFor } from '../leases/lease-query.js';
import { timeOf } from '../leases/observe-lease.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { useServices } from '../shell/services.js';
import { useLive } from '../shell/use-live.js';
import { EarlierTerms, TermsNotice } from '../terms/earlier-terms.js';
import { LeaseName, leaseTitle } from '../text/lease-name.js';
import { ChangeList } from './change-list.js';
import { type LaneContents, HistoryPlots, laneContents } from './history-plots.js';
import { RangeBar } from './range-bar.js';
import { type Change, changesOf } from './term-change.js';
import { TermLane, TermTip } from './term-lane.js';
import { TimeChart } from './time-chart.js';
import { type WindowChoice, notAfter, windowOf } from './time-window.js';

const LANES = 20;
const MAX_CHANGES = 200;
const STATES_EVERY_MS = 1000;

/** Who held what, and when: by the server's history of terms or, without that, by what this tab has seen. */
export function TimelinePage(): JSX.Element {
  const { archive, clock, route, go } = useServices();
  useLive(archive.changed);
  const [most, setMost] = useState(LANES);
  const now = clock.now();
  const leases = useLaneLeases(now);
  const lanes = useLanes(leases.slice(0, most), now);
  const window = windowOf(route.window, now);
  const choose = (choice: WindowChoice): void =>
    go({ window: typeof choice === 'string' ? choice : notAfter(choice, now) }, { replace: true });
  return (
    <>
      <div class="page-title timeline-title">
        <h1>Timeline</h1>
        <RangeBar choice={route.window} window={window} now={now} onChoice={choose} />
      </div>
      <FilterBar />
      <TermsNotice archive={archive} failure={lanes.map((lane) => archive.failureOf(lane)).find(Boolean)} />
      {lanes.length === 0 ? (
        <Empty />
      ) : (
        <>
          <Chart lanes={lanes} window={window} onWindow={choose} />
          {leases.length > most && (
            <p class="muted timeline-more">
              {`The ${most} leases that changed hands last, of ${leases.length.toLocaleString('en')}. Search for others, or `}
              <button type="button" class="link" onClick={() => setMost(most + LANES)}>
                show {LANES} more
              </button>
            </p>
          )}
          {lanes.flatMap(({ key, namespace, name, recorded, terms: [first] }) =>
            recorded && first && first.from > window.from ? [<EarlierTerms key={key} namespace={namespace} name={name} />] : [],
          )}
          <Changes lanes={lanes} from={window.from} to={window.to} />
        </>
      )}
    </>
  );
}

/** The selected leases, the last changed first; sorted again only when holders, leases or the search change, or with time if that asks for a state. */
function useLaneLeases(now: number): readonly ObservedLease[] {
  const { live, recent, route } = useServices();
  const { leases, structure } = live.store;
  const { search } = route.query;
  const keys = useMemo(
    () => laneLeases(leases.values(), search, now, (lease, at) => recent.flaps(lease, at)).map(({ key }) => key),
    [leases, structure, search, search.includes('state:') ? Math.floor(now / STATES_EVERY_MS) : 0],
  );
  return keys.flatMap((key) => leases.get(key) ?? []);
}

/** Histories of these leases, and of a deleted lease whose whole name is searched for. */
function useLanes(leases: readonly ObservedLease[], now: number): LaneContents[] {
  const { archive, route, live } = useServices();
  const lanes = leases.map((lease) => laneContents(archive, lease, lease, now));
  const [, namespace = '', name = ''] = /^([\w.-]+)\/([\w.-]+)$/.exec(route.query.search.trim()) ?? [];
  if (name === '' || live.store.leases.has(`${namespace}/${name}`) || !live.store.loaded) return lanes;
  const gone = laneContents(archive, { namespace, name }, undefined, now);
  return gone.terms.length > 0 ? [gone, ...lanes] : lanes;
}

function Empty(): JSX.Element {
  const { live, route } = useServices();
  if (!live.store.loaded) return <p class="muted">Loading leases…</p>;
  return (
    <div class="empty card">
      <h2>{route.query.search === '' ? 'No lease yet' : 'No lease matches'}</h2>
      <p class="muted">
        Takeovers, releases and late renewals appear here as soon as programs hold leases. To see the terms of a lease that was deleted,
        search for its whole name: namespace/name.
      </p>
    </div>
  );
}

interface ChartProps {
  readonly lanes: readonly LaneContents[];
  readonly window: { readonly from: number; readonly to: number };
  readonly onWindow: (window: { readonly from: number; readonly to: number }) => void;
}

function Chart({ lanes, window, onWindow }: ChartProps): JSX.Element {
  const { clock } = useServices();
  const tip = (row: string, at: number, msPerPixel: number): JSX.Element | undefined => {
    const lane = lanes.find(({ key }) => key === row);
    return lane && <TermTip {...{ terms: lane.terms, at, msPerPixel, now: clock.now() }} />;
  };
  return (
    <section class="card" aria-label="Holders over time">
      <TimeChart window={window} onWindow={onWindow} tip={tip}>
        <>
          {lanes.map((lane) => (
            <TermLane key={lane.key} row={lane.key} label={<LaneLabel lane={lane} />} terms={lane.terms} gaps={lane.gaps} />
          ))}
          <HistoryPlots lanes={lanes} />
        </>
      </TimeChart>
    </section>
  );
}

function LaneLabel({ lane: { namespace, name } }: { readonly lane: LaneContents }): JSX.Element {
  const { href } = useServices();
  const title = leaseTitle({ namespace, name });
  return (
    <a class="lane-label" href={href({ page: 'lease', namespace, name, tab: 'terms' })} title={title} aria-label={title}>
      <LeaseName namespace={namespace} name={name} />
    </a>
  );
}

function Changes({
  lanes,
  from,
  to,
}: {
  readonly lanes: readonly LaneContents[];
  readonly from: number;
  readonly to: number;
}): JSX.Element {
  const { live } = useServices();
  const keys = new Set(lanes.map(({ key }) => key));
  const recorded = new Set(lanes.flatMap((lane) => (lane.recorded ? [lane.key] : [])));
  const all: Change[] = lanes.flatMap((lane) => (lane.recorded ? changesOf(lane, lane.terms) : []));
  for (const sighting of live.store.sightings) {
    // The server's terms say the rest about leases that have them.
    if (keys.has(sighting.key) && (!recorded.has(sighting.key) || sighting.what === 'late')) all.push(sighting);
    else if (sighting.what === 'deleted' && recorded.size === 0) all.push(sighting);
  }
  const shown = all.filter(({ at }) => at >= from && at <= to).sort((a, b) => b.at - a.at);
  if (shown.length === 0) return <p class="muted timeline-more">Nothing changed hands in this period.</p>;
  return (
    <>
      <ChangeList changes={shown.slice(0, MAX_CHANGES)} named />
      {shown.length > MAX_CHANGES && (
        <p class="muted timeline-more">
          The last {MAX_CHANGES} of {shown.length.toLocaleString('en')} changes in this period; choose a shorter one to see the others.
        </p>
      )}
    </>
  );
}

/** The leases that match a search, those that changed hands last first. */
function laneLeases(leases: Iterable<ObservedLease>, search: string, now: number, flaps: Flaps): ObservedLease[] {
  const matches = searchFor(search, flaps);
  const found: (readonly [lease: ObservedLease, changedAt: number])[] = [];
  for (const lease of leases) if (matches(lease, now)) found.push([lease, changedAt(lease)]);
  return found.sort(([a, one], [b, other]) => other - one || (a.key < b.key ? -1 : 1)).map(([lease]) => lease);
}

/** When its present holder acquired it, or its last one released it. */
function changedAt({ lease: { spec = {} }, holder, terms }: ObservedLease): number {
  const seen = terms.length > 1 ? (terms.at(-1)?.from ?? 0) : 0;
  const written = timeOf(spec.acquireTime) ?? (holder === '' ? timeOf(spec.renewTime) : undefined) ?? 0;
  return Math.max(seen, written);
}
