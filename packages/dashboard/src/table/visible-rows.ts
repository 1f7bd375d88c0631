/** Extra rows rendered beyond each edge, so that quick scrolling shows no empty rows. */
const OVERSCAN = 6;

export interface VisibleRows {
  /** The first row, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** The visible rows of a list of equal heights. Sizes in pixels. */
export function visibleRows(count: number, rowHeight: number, scrollTop: number, viewHeight: number): VisibleRows {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight) - OVERSCAN;
  const last = Math.ceil((Math.max(0, scrollTop) + viewHeight) / rowHeight) + OVERSCAN;
  const to = Math.min(count, Math.max(0, last));
  return { from: Math.max(0, Math.min(first, to)), to };
}

/** The scroll position that makes a row visible; the current one if it already is. */
export function scrollTopFor(row: number, rowHeight: number, scrollTop: number, viewHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - viewHeight);
}
