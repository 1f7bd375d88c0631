import { useEffect, useReducer } from 'preact/hooks';
import type { FrameSignal } from './frame-signal.js';
import { TICK_MS } from './use-tick.js';

/** Renders again when something has changed, and four times a second, since ages grow. */
export function useLive(changed: FrameSignal): void {
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    const unsubscribe = changed.subscribe(() => render());
    const timer = setInterval(changed.poke, TICK_MS);
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }, [changed]);
}
