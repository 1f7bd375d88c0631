import type { JSX } from 'preact';
import type { Term } from '../terms/term.js';
import { showText } from '../text/show-text.js';
import { showDuration, showLocal, showMoment } from '../text/show-time.js';
import { showLapses, showReason } from '../terms/show-reason.js';
import { termAt } from './lane-shapes.js';

interface TermTipProps {
  readonly terms: readonly Term[];
  readonly at: number;
  readonly msPerPixel: number;
  readonly now: number;
}

/** What the pointer is on: a term, the time between two, or more terms than it can tell apart. */
export function TermTip({ terms, at, msPerPixel, now }: TermTipProps): JSX.Element {
  const time = (ms: number): string => showMoment(ms, now);
  const near = terms.filter(({ from, to = now }) => from < at + msPerPixel && to > at - msPerPixel);
  if (near.length > 3) {
    return (
      <>
        <strong>{near.length} terms</strong>
        <span>{time(at)} UTC: zoom in to see each</span>
      </>
    );
  }
  const term = termAt(terms, at);
  if (!term) {
    return (
      <>
        <strong>{at < (terms[0]?.from ?? Infinity) ? 'nothing known' : 'nobody'}</strong>
        <span>{time(at)} UTC</span>
      </>
    );
  }
  const { holder, token, from, beganEarlier = false, to, reason, lapsedAt, lapses } = term;
  return (
    <>
      <strong class="holder">{showText(holder, 80)}</strong>
      <span>
        {time(from)}
        {beganEarlier && ' or earlier,'} to {to === undefined ? 'now' : time(to)} UTC, {beganEarlier && 'at least '}
        {showDuration((to ?? now) - from)}
      </span>
      <SinceHere at={from} now={now} />
      {token !== undefined && <span>fencing token {showText(token)}</span>}
      {reason !== '' && <span>{showReason(reason)}</span>}
      {lapsedAt !== undefined && <span>{showLapses(lapses, `${time(lapsedAt)} UTC`)}</span>}
    </>
  );
}

function SinceHere({ at, now }: { readonly at: number; readonly now: number }): JSX.Element | null {
  const local = showLocal(at, now);
  return local === undefined ? null : <span>since {local}</span>;
}
