import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SortColumn } from '../leases/lease-query.js';
import { useServices } from '../shell/services.js';
import { scrollTopFor, visibleRows } from '../table/visible-rows.js';
import { LeaseRow } from './lease-row.js';

const COLUMNS: readonly (readonly [column: SortColumn, title: string, hint: string])[] = [
  ['state', 'State', ''],
  ['name', 'Lease', ''],
  ['holder', 'Holder', ''],
  ['renewed', 'Renewed', 'Time since the last renewal, out of the lease’s duration'],
  ['rate', 'Per second', 'Renewals per second, as seen by this page'],
  ['transitions', 'Term', 'How often the holder has changed (leaseTransitions)'],
];

/** Heights as in the styles. */
const ROW_HEIGHT = 44;
const NARROW_ROW_HEIGHT = 84;
const NARROW = matchMedia('(max-width: 760px)');

/** All leases; only the visible rows are in the document. Arrow keys move into the table and through it. */
export function LeaseTable({ keys }: { readonly keys: readonly string[] }): JSX.Element {
  const { live } = useServices();
  const scroller = useRef<HTMLDivElement>(null);
  const { scrollTop, height } = useViewport(scroller);
  const rowHeight = useRowHeight();
  useArrowDown(scroller);
  const { active, onKeyDown } = useRowKeys(scroller, keys.length, rowHeight, height);
  const { from, to } = visibleRows(keys.length, rowHeight, scrollTop, height);
  // Tab moves to the row used last or, if that row is not visible, to the first visible one.
  const firstInSight = Math.min(Math.ceil(scrollTop / rowHeight), keys.length - 1);
  const entry = active >= from && active < to ? active : firstInSight;
  return (
    <div
      class={`table${keys.length * rowHeight > height ? ' table-scrolls' : ''}`}
      role="grid"
      aria-label="Leases"
      aria-rowcount={keys.length + 1}
      aria-colcount={COLUMNS.length}
    >
      <TableHead />
      <div class="scroller" role="rowgroup" ref={scroller} onKeyDown={onKeyDown}>
        <div class="rows" role="presentation" style={{ height: `${keys.length * rowHeight}px` }}>
          {keys.slice(from, to).map((key, at) => {
            const lease = live.store.leases.get(key);
            const index = from + at;
            return lease && <LeaseRow key={key} lease={lease} index={index} top={index * rowHeight} isActive={index === entry} />;
          })}
        </div>
      </div>
    </div>
  );
}

function TableHead(): JSX.Element {
  const { route, go } = useServices();
  const { query } = route;
  const sortBy = (sort: SortColumn): void =>
    go({ query: { ...query, sort, descending: query.sort === sort && !query.descending } }, { replace: true });
  return (
    <div class="table-head" role="rowgroup">
      <div class="row-head" role="row" aria-rowindex={1}>
        {COLUMNS.map(([column, title, hint]) => {
          const isSorted = query.sort === column;
          const order = query.descending ? 'descending' : 'ascending';
          return (
            <span key={column} role="columnheader" class={`cell cell-${CLASSES[column]}`} aria-sort={isSorted ? order : 'none'}>
              <button type="button" onClick={() => sortBy(column)} title={hint || `Sort by ${title.toLowerCase()}`}>
                {title}
                <span class="sort-mark" aria-hidden="true">
                  {isSorted ? (query.descending ? '↓' : '↑') : ''}
                </span>
              </button>
            </span>
          );
        })}
      </div>
    </div>
  );
}

const CLASSES: Readonly<Record<SortColumn, string>> = {
  state: 'state',
  name: 'name',
  holder: 'holder',
  renewed: 'age',
  rate: 'rate',
  transitions: 'term',
};

/** The scroll position of a list and the height of its viewport. */
function useViewport(scroller: RefObject<HTMLElement | null>): { readonly scrollTop: number; readonly height: number } {
  const [view, setView] = useState({ scrollTop: 0, height: 800 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => setView({ scrollTop: element.scrollTop, height: element.clientHeight });
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [scroller]);
  return view;
}

function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const follow = (): void => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', follow);
    return () => NARROW.removeEventListener('change', follow);
  }, []);
  return isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
}

/** The row with the keyboard focus, and the keys that move the focus. */
function useRowKeys(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  height: number,
): { readonly active: number; readonly onKeyDown: (event: KeyboardEvent) => void } {
  const [active, setActive] = useState(0);
  const wanted = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (!link) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const element = scroller.current;
    const at = Number((event.target as HTMLElement).dataset['row'] ?? active);
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const steps = new Map([
      ['ArrowDown', at + 1],
      ['ArrowUp', at - 1],
      ['PageDown', at + page],
      ['PageUp', at - page],
      ['Home', 0],
      ['End', count - 1],
    ]);
    const step = steps.get(event.key);
    if (step === undefined || !element || count === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, step));
    wanted.current = next;
    setActive(next);
    element.scrollTop = scrollTopFor(next, rowHeight, element.scrollTop, element.clientHeight);
  };
  return { active: Math.min(active, Math.max(0, count - 1)), onKeyDown };
}

/** The down arrow moves into the table from the page around it and from the search, to the row that Tab would move to. */
function useArrowDown(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'ArrowDown' || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      // Other elements, such as selections, have their own use for the key.
      if (!(event.target as Element).matches('body, #main, input[type="search"]')) return;
      const row = scroller.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
      if (!row) return;
      event.preventDefault();
      row.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [scroller]);
}
