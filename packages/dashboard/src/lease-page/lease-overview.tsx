import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { renewalsPerSecond } from '../leases/lease-query.js';
import { timeOf } from '../leases/observe-lease.js';
import { type ObservedLease, DUE_PART } from '../leases/observed-lease.js';
import { LeaseRefused } from '../refused/lease-refused.js';
import { useRefused } from '../refused/refused-page.js';
import { CopyButton, CopyLine } from '../shell/copy-line.js';
import { useServices } from '../shell/services.js';
import { TICK_MS } from '../shell/use-live.js';
import { releasedAt, termMark } from '../terms/term.js';
import { kubectlLines } from '../text/kubectl-lines.js';
import { showText } from '../text/show-text.js';
import { showDuration, showLocal, showRate } from '../text/show-time.js';
import { type Dot, DotPlot } from '../timeline/dot-plot.js';
import { laneContents } from '../timeline/history-plots.js';
import { TermLane, TermTip } from '../timeline/term-lane.js';
import { TimeChart } from '../timeline/time-chart.js';
import { windowOf } from '../timeline/time-window.js';

/** The main facts about a lease, on one page. */
export function LeaseOverview({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const refused = useRefused(lease.namespace, lease.name);
  const isWanted = (refused.answer?.length ?? 0) > 0;
  return (
    <div class="overview">
      {isWanted && <LeaseRefused {...refused} />}
      <section class="card" aria-labelledby="facts-title">
        <h2 id="facts-title">Lease</h2>
        <Facts lease={lease} />
      </section>
      <div class="overview-side">
        <section class="card" aria-labelledby="token-title">
          <h2 id="token-title">Fencing token</h2>
          <FencingToken lease={lease} />
        </section>
        <Pairs title="Labels" pairs={lease.lease.metadata.labels} />
        <Pairs title="Annotations" pairs={lease.lease.metadata.annotations} />
      </div>
      <section class="card overview-wide" aria-labelledby="seen-title">
        <h2 id="seen-title">The last ten minutes</h2>
        <OverviewChart lease={lease} />
      </section>
      {!isWanted && <LeaseRefused {...refused} />}
      <section class="card overview-wide" aria-labelledby="kubectl-title">
        <h2 id="kubectl-title">With kubectl</h2>
        {kubectlLines(lease).map(({ purpose, line }) => (
          <div key={purpose} class="kubectl-line">
            <span class="label">{purpose}</span>
            <CopyLine line={line} label={purpose} />
          </div>
        ))}
      </section>
    </div>
  );
}

function Facts({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { clock } = useServices();
  const { spec = {}, metadata } = lease.lease;
  const now = clock.now();
  const rate = renewalsPerSecond(lease, now);
  return (
    <dl class="facts">
      <Fact name="Held since">{heldSince(lease, now)}</Fact>
      <LastRenewal lease={lease} now={now} />
      <Fact name="Duration">{lease.durationMs === undefined ? 'does not expire' : `${lease.durationMs / 1000} s`}</Fact>
      <Fact name="Renewals">
        {lease.intervalMs === undefined ? 'none seen yet' : `every ${showDuration(lease.intervalMs)}, ${showRate(rate)} per second`}
      </Fact>
      <Fact name="Term">{lease.transitions.toLocaleString('en')} (leaseTransitions)</Fact>
      <Fact name="Holder’s clock">{holdersClock(lease.holderAheadMs)}</Fact>
      {spec.strategy !== undefined && <Fact name="Strategy">{showText(spec.strategy)}</Fact>}
      {spec.preferredHolder !== undefined && <Fact name="Preferred holder">{showText(spec.preferredHolder)}</Fact>}
      <Fact name="Created">{moment(metadata.creationTimestamp, now)}</Fact>
      <Fact name="resourceVersion">{showText(metadata.resourceVersion ?? '')}</Fact>
      <Fact name="UID">
        {showText(metadata.uid ?? '')} {metadata.uid && <CopyButton text={metadata.uid} label="the UID" />}
      </Fact>
    </dl>
  );
}

/** Of a lease without a holder, renewTime may be the time of its release. */
function LastRenewal({ lease, now }: { readonly lease: ObservedLease; readonly now: number }): JSX.Element {
  const { archive } = useServices();
  const { renewTime } = lease.lease.spec ?? {};
  if (lease.holder !== '') return <Fact name="Last renewal">{moment(renewTime, now)}</Fact>;
  const released = releasedAt(lease, archive.known(lease)?.terms.at(-1));
  if (released === undefined) return <Fact name="Last renewal or release">{moment(renewTime, now)}</Fact>;
  return <Fact name="Released">{moment(new Date(released).toISOString(), now)}</Fact>;
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The acquireTime of a released lease is that of a term that is over. */
function heldSince({ holder, lease: { spec } }: ObservedLease, now: number): JSX.Element {
  if (holder === '') return <span class="muted">nobody holds it</span>;
  return spec?.acquireTime === undefined ? <span class="muted">not recorded</span> : moment(spec.acquireTime, now);
}

/** A time of an object, and how long ago that is. */
export function moment(text: string | undefined, now: number): JSX.Element {
  const at = timeOf(text);
  if (at === undefined) return <span class="muted">never</span>;
  const local = showLocal(at, now);
  return (
    <time dateTime={new Date(at).toISOString()} title={showText(text)}>
      {showText(text)
        .replace('T', ' ')
        .replace(/\.\d+Z$|Z$/, '')}{' '}
      UTC{' '}
      <span class="muted">
        ({local !== undefined && `${local}, `}
        {at <= now + 1000 ? `${showDuration(now - at)} ago` : 'ahead'})
      </span>
    </time>
  );
}

/** Transmission takes some time, so a small delay counts as none. */
function holdersClock(aheadMs: number | undefined): string {
  if (aheadMs === undefined) return 'not known until a renewal is seen';
  if (Math.abs(aheadMs) < 1500) return 'agrees with the server’s';
  return `${showDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} the server’s`;
}

function FencingToken({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { archive, clock } = useServices();
  if (lease.holder === '') return <p class="muted">The lease has no holder, and therefore no token.</p>;
  const token = lease.terms.at(-1)?.token ?? archive.openTerm({ ...lease, mark: termMark(lease, clock.known()) })?.token;
  return (
    <>
      <p class="token">{token ?? `≤ ${showText(lease.lease.metadata.resourceVersion ?? '')}`}</p>
      {token !== undefined && <CopyButton text={token} label="the fencing token" />}
      <p class="muted">
        {token === undefined
          ? 'The resourceVersion of the write that acquired the lease. The tab was opened later; any later resourceVersion works as well, if the holder uses one per term.'
          : 'The resourceVersion of the write that acquired the lease. The storage that the holder writes to rejects smaller ones.'}
      </p>
    </>
  );
}

function Pairs({
  title,
  pairs,
}: {
  readonly title: string;
  readonly pairs: Readonly<Record<string, string>> | undefined;
}): JSX.Element | null {
  const entries = Object.entries(pairs ?? {});
  if (entries.length === 0) return null;
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <dl class="pairs">
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{showText(key)}</dt>
            <dd>
              <bdi>{showText(value, 1000)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The lease's holders, and the intervals between the renewals that this page has seen. */
function OverviewChart({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { archive, clock } = useServices();
  const dots = useRef<readonly Dot[]>([]);
  const last = useRef(lease);
  dots.current = renewalDots(dots.current, last.current, lease);
  last.current = lease;
  const now = Math.floor(clock.now() / TICK_MS) * TICK_MS;
  const lane = laneContents(archive, lease, lease, now);
  // With every frame, something changes elsewhere.
  return useMemo(
    () => (
      <TimeChart
        window={windowOf('10m', now)}
        tip={(row, at, msPerPixel) => (row === lane.key ? <TermTip {...{ terms: lane.terms, at, msPerPixel, now }} /> : undefined)}
      >
        <>
          <TermLane row={lane.key} label={<span class="lane-label">Holder</span>} terms={lane.terms} gaps={lane.gaps} />
          <DotPlot
            row="renewals"
            title="Renewals"
            hint="Each renewal that this page has seen, by the time since the one before"
            dots={dots.current}
            empty="None seen yet since this page was opened."
          />
        </>
      </TimeChart>
    ),
    [lease, archive.known(lease), now],
  );
}

const KEPT = 1200;

/** Adds the renewal that came between two observations of a lease; the same array if there was none. */
function renewalDots(dots: readonly Dot[], before: ObservedLease, after: ObservedLease): readonly Dot[] {
  const { renewedAt: at, durationMs = Infinity, observed, key } = after;
  if (before.key !== key) return [];
  // A change of the holder is no renewal.
  if (before.terms !== after.terms) return dots;
  if (!observed || !before.observed || at === undefined || before.renewedAt === undefined || at <= before.renewedAt) return dots;
  const ms = at - before.renewedAt;
  return [...dots.slice(1 - KEPT), { at, ms, kind: ms >= durationMs * DUE_PART ? 'late' : 'renewed' }];
}
