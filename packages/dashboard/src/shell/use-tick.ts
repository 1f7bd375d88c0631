import { useEffect, useReducer } from 'preact/hooks';

/** Ages grow even if nothing changes. */
export const TICK_MS = 250;

/** Renders again four times a second, however much changes in between: for components that iterate over all leases. */
export function useTick(): void {
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => render(), TICK_MS);
    return () => clearInterval(timer);
  }, []);
}
