import { useEffect, useReducer } from 'preact/hooks';

/** Ages go on where nothing changes. */
export const TICK_MS = 250;

/** Renders anew four times a second, however much changes in between: for what goes through all leases. */
export function useTick(): void {
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => render(), TICK_MS);
    return () => clearInterval(timer);
  }, []);
}
