import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ObservedLease } from '../leases/observed-lease.js';
import { Download } from '../shell/copy-line.js';
import { useServices } from '../shell/services.js';
import { TICK_MS } from '../shell/use-live.js';
import { EarlierTerms, TermsNotice } from '../terms/earlier-terms.js';
import { type Term, showLapses, showReason, takeoversOf } from '../terms/term.js';
import { showText } from '../text/show-text.js';
import type { CsvRow } from '../text/to-csv.js';
import { Moment } from '../text/moment.js';
import { showDuration, showMoment } from '../text/show-time.js';
import { HistoryPlots, laneContents } from '../timeline/history-plots.js';
import { RangeBar } from '../timeline/range-bar.js';
import { TermLane, TermTip } from '../timeline/term-lane.js';
import { TimeChart } from '../timeline/time-chart.js';
import { type WindowChoice, notAfter, windowOf } from '../timeline/time-window.js';

const PAGE = 100;

/** Who has held the lease, from when to when, and how each term ended. */
export function LeaseTerms({ lease }: { readonly lease: ObservedLease }): JSX.Element {
  const { archive, clock, route, go } = useServices();
  const now = Math.floor(clock.now() / TICK_MS) * TICK_MS;
  const lane = laneContents(archive, lease, lease, now);
  const failure = archive.failureOf(lease);
  // With every frame, something changes elsewhere.
  return useMemo(() => {
    const window = windowOf(route.window, now);
    const choose = (choice: WindowChoice): void =>
      go({ window: typeof choice === 'string' ? choice : notAfter(choice, now) }, { replace: true });
    return (
      <div class="lease-terms">
        <TermsNotice archive={archive} failure={failure} />
        <section class="card" aria-label="Holders over time">
          <div class="terms-bar">
            <RangeBar choice={route.window} window={window} now={now} onChoice={choose} />
          </div>
          <TimeChart
            window={window}
            onWindow={choose}
            tip={(row, at, msPerPixel) => (row === lane.key ? <TermTip {...{ terms: lane.terms, at, msPerPixel, now }} /> : undefined)}
          >
            <>
              <TermLane row={lane.key} label={<span class="lane-label">Holder</span>} terms={lane.terms} gaps={lane.gaps} />
              <HistoryPlots lanes={[lane]} />
            </>
          </TimeChart>
        </section>
        <TermTable lease={lease} terms={lane.terms} recorded={lane.recorded} now={now} />
      </div>
    );
  }, [archive, archive.service, clock, go, failure, lease, lane.recorded, archive.known(lease), route.window, now]);
}

interface TermTableProps {
  readonly lease: ObservedLease;
  readonly terms: readonly Term[];
  readonly recorded: boolean;
  readonly now: number;
}

function TermTable({ lease: { namespace, name }, terms, recorded, now }: TermTableProps): JSX.Element {
  const [most, setMost] = useState(PAGE);
  const gaps = new Map(takeoversOf(terms).map(({ after, withoutLeaderMs }) => [after, withoutLeaderMs]));
  if (terms.length === 0) {
    return (
      <div class="empty card">
        <h2>No terms yet</h2>
        <p class="muted">A term begins when a holder acquires the lease.</p>
      </div>
    );
  }
  return (
    <div class="card table-scroll" tabIndex={0} role="region" aria-label="Terms">
      <table class="plain stacks terms">
        <thead>
          <tr>
            {['Holder', 'Fencing token', 'From (UTC)', 'Until (UTC)', 'Lasted', 'How it ended'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <th scope="col" title="How long nobody led before this term">
              Before it
            </th>
          </tr>
        </thead>
        <tbody>
          {terms
            .slice(-most)
            .reverse()
            .map((term) => (
              <TermRow key={`${term.token ?? ''} ${term.from}`} {...{ term, gap: gaps.get(term), now, recorded }} />
            ))}
        </tbody>
      </table>
      {terms.length > most && (
        <p class="timeline-more">
          <button type="button" class="link" onClick={() => setMost(most + PAGE)}>
            Show {Math.min(PAGE, terms.length - most)} earlier terms
          </button>{' '}
          <span class="muted">of {terms.length.toLocaleString('en')}</span>
        </p>
      )}
      {terms.length <= most && <EarlierTerms namespace={namespace} name={name} />}
      <p class="muted timeline-more">
        <Download name={`${namespace}-${name}-terms`} rows={() => terms.map(termRow)} />
      </p>
    </div>
  );
}

/** All that is known of a term as a row of a download, with times in UTC. */
function termRow({ holder, token, from, to, reason, renewedAt, lapsedAt, lapses }: Term): CsvRow {
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());
  return {
    holder,
    fencingToken: token,
    from: time(from),
    until: time(to),
    reason,
    lastRenewTime: time(renewedAt),
    lapsedAt: time(lapsedAt),
    lapses,
  };
}

interface TermRowProps {
  readonly term: Term;
  readonly gap: number | undefined;
  readonly now: number;
  readonly recorded: boolean;
}

function TermRow({ term, gap, now, recorded }: TermRowProps): JSX.Element {
  const time = (ms: number): string => showMoment(ms, now);
  const { holder, token, from, beganEarlier = false, to, reason, lapsedAt, lapses } = term;
  return (
    <tr>
      <td class="term-holder" data-label="Holder">
        <bdi class="holder">{showText(holder)}</bdi>
      </td>
      <td class="number" data-label="Fencing token">
        {token === undefined ? <span class="muted">not seen</span> : showText(token)}
      </td>
      <td class="number" data-label="From (UTC)">
        <Moment at={from} now={now} />
        {beganEarlier && <span class="muted"> or earlier</span>}
      </td>
      <td class="number" data-label="Until (UTC)">
        {to === undefined ? <span class="leads">holds it</span> : <Moment at={to} now={now} />}
      </td>
      <td class="number" data-label="Lasted">
        {beganEarlier && 'at least '}
        {showDuration((to ?? now) - from)}
      </td>
      <td data-label="How it ended">
        {to === undefined ? null : recorded ? showReason(reason) : <span class="muted">not recorded</span>}
        {lapsedAt !== undefined && (
          <span class="lapsed">
            {to === undefined ? null : '; '}
            {showLapses(lapses, time(lapsedAt))}
          </span>
        )}
      </td>
      <td class="number" data-label="Before it">
        {gap === undefined ? null : gap < 1 ? <span class="muted">none</span> : showDuration(gap)}
      </td>
    </tr>
  );
}
