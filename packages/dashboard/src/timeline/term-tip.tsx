import type { JSX } from 'preact';
import type { Term } from '../terms/term.js';
import { showText } from '../text/show-text.js';
import { showDuration, showMoment } from '../text/show-time.js';
import { showLapses, showReason } from '../terms/show-reason.js';
import { termAt } from './lane-shapes.js';

interface TermTipProps {
  readonly terms: readonly Term[];
  readonly at: number;
  readonly msPerPixel: number;
  readonly now: number;
  readonly offsetMs: number;
}

/** What the pointer is on: a term, the time between two, or more terms than it can tell apart. */
export function TermTip({ terms, at, msPerPixel, now, offsetMs }: TermTipProps): JSX.Element {
  const local = (ms: number): string => showMoment(ms - offsetMs, now - offsetMs);
  const near = terms.filter(({ from, to = now }) => from < at + msPerPixel && to > at - msPerPixel);
  if (near.length > 3) {
    return (
      <>
        <strong>{near.length} terms</strong>
        <span>{local(at)}: zoom in to see each</span>
      </>
    );
  }
  const term = termAt(terms, at);
  if (!term) {
    return (
      <>
        <strong>{at < (terms[0]?.from ?? Infinity) ? 'nothing known' : 'nobody'}</strong>
        <span>{local(at)}</span>
      </>
    );
  }
  const { holder, token, from, to, reason, lapsedAt, lapses } = term;
  return (
    <>
      <strong class="holder">{showText(holder, 80)}</strong>
      <span>
        {local(from)} to {to === undefined ? 'now' : local(to)}, {showDuration((to ?? now) - from)}
      </span>
      {token !== undefined && <span>fencing token {showText(token)}</span>}
      {reason !== '' && <span>{showReason(reason)}</span>}
      {lapsedAt !== undefined && <span>{showLapses(lapses, local(lapsedAt))}</span>}
    </>
  );
}
