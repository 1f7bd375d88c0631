import { type JSX, type RefObject, type TargetedPointerEvent, createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type TimeWindow, between, ticksOf, zoom } from './time-window.js';

interface TimeChartProps {
  readonly window: TimeWindow;
  /** Absent: the period is fixed. */
  readonly onWindow?: ((window: TimeWindow) => void) | undefined;
  /** What a row (its `data-row`) shows at a moment, for the pointer. */
  readonly tip: (row: string, at: number, msPerPixel: number) => JSX.Element | undefined;
  readonly children: JSX.Element | readonly (JSX.Element | null)[];
}

interface ChartSize {
  readonly window: TimeWindow;
  readonly width: number;
}

const Size = createContext<ChartSize>({ window: { from: 0, to: 1 }, width: 0 });

/** The period and the width of the chart around a row. */
export function useChart(): ChartSize {
  return useContext(Size);
}

/**
 * Rows above a common axis of time. Dragging over them selects a period, and the wheel with Ctrl zooms; the buttons around the chart do
 * the same for keyboards.
 */
export function TimeChart({ window, onWindow, tip, children }: TimeChartProps): JSX.Element {
  const chart = useRef<HTMLDivElement>(null);
  const rule = useRef<HTMLDivElement>(null);
  const width = useWidth(rule);
  const size = useMemo(() => ({ window, width }), [window.from, window.to, width]);
  const { pointer, drag, handlers } = usePointer({ chart, rule }, size, onWindow);
  const at = pointer && momentAt(pointer.x, size);
  const shown = pointer && at !== undefined && !drag ? tip(pointer.row, at, (window.to - window.from) / Math.max(1, width)) : undefined;
  return (
    <Size.Provider value={size}>
      <div class="chart" ref={chart} {...handlers}>
        {children}
        <div class="chart-row chart-axis-row" aria-hidden="true">
          <span class="chart-zone">UTC</span>
          <div class="chart-axis" ref={rule}>
            <Axis {...size} />
          </div>
        </div>
        <div class="chart-over" aria-hidden="true">
          {pointer && !drag && <span class="chart-cursor" style={{ left: `${pointer.x}px` }} />}
          {drag && <span class="chart-selection" style={{ left: `${Math.min(...drag)}px`, width: `${Math.abs(drag[1] - drag[0])}px` }} />}
        </div>
        {shown && pointer && (
          <Tip left={pointer.left} top={pointer.top}>
            {shown}
          </Tip>
        )}
      </div>
    </Size.Provider>
  );
}

const TIP_DISTANCE = 12;

/** Beside the pointer, at a place in the window, on the side where all of it fits. */
function Tip({ left, top, children }: { readonly left: number; readonly top: number; readonly children: JSX.Element }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!box.current) return;
    const { offsetWidth, offsetHeight, ownerDocument, style } = box.current;
    const { clientWidth, clientHeight } = ownerDocument.documentElement;
    style.left = `${besides(left, offsetWidth, clientWidth)}px`;
    style.top = `${besides(top, offsetHeight, clientHeight)}px`;
  });
  return (
    <div class="chart-tip" ref={box} aria-hidden="true">
      {children}
    </div>
  );
}

/** The start of `size` pixels after `at`, or before it where they would not fit, within `space`. */
function besides(at: number, size: number, space: number): number {
  const after = at + TIP_DISTANCE;
  return after + size <= space ? after : Math.max(0, Math.min(at - TIP_DISTANCE, space) - size);
}

function Axis({ window, width }: ChartSize): JSX.Element {
  const scale = width / (window.to - window.from);
  return (
    <>
      {ticksOf(window, Math.max(2, Math.floor(width / 90))).map(({ at, text }) => (
        <span key={at} class="chart-tick" style={{ left: `${((at - window.from) * scale).toFixed(1)}px` }}>
          {text}
        </span>
      ))}
    </>
  );
}

function momentAt(x: number, { window, width }: ChartSize): number {
  return window.from + (Math.max(0, Math.min(width, x)) / Math.max(1, width)) * (window.to - window.from);
}

interface Pointer {
  /** Position within the rows' tracks. */
  readonly x: number;
  /** Position within the window. */
  readonly left: number;
  readonly top: number;
  readonly row: string;
}

interface Elements {
  readonly chart: RefObject<HTMLElement | null>;
  /** An element as wide as the rows' tracks. */
  readonly rule: RefObject<HTMLElement | null>;
}

type Handler = (event: TargetedPointerEvent<HTMLDivElement>) => void;
type Handlers = Readonly<Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onPointerLeave', Handler>>;

/** A drag over fewer pixels is a click. */
const LEAST_DRAG = 6;

function usePointer(
  { chart, rule }: Elements,
  size: ChartSize,
  onWindow: TimeChartProps['onWindow'],
): {
  readonly pointer: Pointer | undefined;
  readonly drag: readonly [number, number] | undefined;
  readonly handlers: Handlers;
} {
  const [pointer, setPointer] = useState<Pointer>();
  const [drag, setDrag] = useState<readonly [number, number]>();
  const placeOf = (event: MouseEvent): Pointer | undefined => {
    const box = rule.current?.getBoundingClientRect();
    const track = (event.target as Element).closest<HTMLElement>('.chart-track');
    if (!box || (!track && !drag)) return undefined;
    const x = Math.max(0, Math.min(box.width, event.clientX - box.left));
    return { x, left: event.clientX, top: event.clientY, row: track?.dataset['row'] ?? '' };
  };
  useWheel(chart, (event) => {
    const place = placeOf(event);
    if (place) onWindow?.(zoom(size.window, event.deltaY > 0 ? 1.25 : 0.8, momentAt(place.x, size)));
  });
  const isDrag = drag !== undefined && Math.abs(drag[1] - drag[0]) >= LEAST_DRAG;
  return {
    pointer,
    drag: isDrag ? drag : undefined,
    handlers: {
      onPointerDown: (event) => {
        const place = placeOf(event);
        // A finger scrolls the page.
        if (!onWindow || !place || event.button !== 0 || event.pointerType === 'touch') return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([place.x, place.x]);
      },
      onPointerMove: (event) => {
        const place = placeOf(event);
        setPointer(place);
        if (drag && place) setDrag([drag[0], place.x]);
      },
      onPointerUp: () => {
        if (isDrag) onWindow?.(between(momentAt(drag[0], size), momentAt(drag[1], size)));
        setDrag(undefined);
      },
      onPointerCancel: () => setDrag(undefined),
      onPointerLeave: () => setPointer(undefined),
    },
  };
}

/** The wheel with Ctrl, which otherwise zooms the whole page: only a listener that is not passive can prevent that. */
function useWheel(chart: Elements['chart'], onZoom: (event: WheelEvent) => void): void {
  const latest = useRef(onZoom);
  latest.current = onZoom;
  useEffect(() => {
    const { current } = chart;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      latest.current(event);
    };
    current?.addEventListener('wheel', onWheel, { passive: false });
    return () => current?.removeEventListener('wheel', onWheel);
  }, [chart]);
}

/** The width of an element in whole pixels, as it changes; 0 before it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const measure = (): void => setWidth(current.clientWidth);
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(current);
    return () => resized.disconnect();
  }, [element]);
  return width;
}
