import type { ObservedLease } from '../leases/observed-lease.js';

/** A part of a lane; positions in percent of its width. */
interface Segment {
  readonly left: number;
  readonly width: number;
}

export interface HeldSegment extends Segment {
  readonly holder: string;
  readonly from: number;
  readonly to: number;
  /** Adjacent segments have different values. */
  readonly shade: 0 | 1;
}

export interface GapSegment extends Segment {
  readonly forMs: number;
}

/** The holders of a lease between two moments, and the gaps without renewals, cut to that period. Times in milliseconds. */
export function segmentsOf(
  { terms, gaps }: Pick<ObservedLease, 'terms' | 'gaps'>,
  from: number,
  to: number,
): { held: HeldSegment[]; gaps: GapSegment[] } {
  const place = (start: number, end: number): Segment | undefined => {
    const [left, right] = [Math.max(from, start), Math.min(to, end)];
    if (right <= left || to <= from) return undefined;
    return { left: ((left - from) / (to - from)) * 100, width: ((right - left) / (to - from)) * 100 };
  };
  const held = terms.flatMap((term, at): HeldSegment[] => {
    const segment = place(term.from, term.to ?? to);
    if (!segment || term.holder === '') return [];
    return [{ ...segment, holder: term.holder, from: term.from, to: term.to ?? to, shade: at % 2 === 0 ? 0 : 1 }];
  });
  const shown = gaps.flatMap((gap): GapSegment[] => {
    const segment = place(gap.from, gap.to);
    return segment ? [{ ...segment, forMs: gap.to - gap.from }] : [];
  });
  return { held, gaps: shown };
}
