/** Rows beyond each edge that are rendered too, so that a quick scroll shows none that is empty. */
const OVERSCAN = 6;

export interface VisibleRows {
  /** The first one, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Which rows of a list of equal heights are in sight. Pixels. */
export function visibleRows(count: number, rowHeight: number, scrollTop: number, viewHeight: number): VisibleRows {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight) - OVERSCAN;
  const last = Math.ceil((Math.max(0, scrollTop) + viewHeight) / rowHeight) + OVERSCAN;
  const to = Math.min(count, Math.max(0, last));
  return { from: Math.max(0, Math.min(first, to)), to };
}

/** Where to scroll so that a row is in sight; where it is already, nowhere. */
export function scrollTopFor(row: number, rowHeight: number, scrollTop: number, viewHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - viewHeight);
}
