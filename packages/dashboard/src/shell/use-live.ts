import { useEffect, useReducer, useState } from 'preact/hooks';
import { ApiFailure } from '../api/api-client.js';
import type { FrameSignal } from './live-leases.js';

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

/** The response to a request: none yet, the last one, or the reason for a failure. */
export interface Asked<T> {
  readonly answer: T | undefined;
  readonly failure: ApiFailure | undefined;
}

/** Sends the request when first shown and when `key` changes; then every `everyMs`, if set. A failure keeps the last response. */
export function useAsked<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, everyMs?: number): Asked<T> {
  const [asked, setAsked] = useState<Asked<T> & { readonly key: string }>({ key, answer: undefined, failure: undefined });
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async (): Promise<void> => {
      try {
        const answer = await ask(abort.signal);
        if (!abort.signal.aborted) setAsked({ key, answer, failure: undefined });
      } catch (error) {
        if (abort.signal.aborted) return;
        const failure = error instanceof ApiFailure ? error : new ApiFailure(0, String(error));
        setAsked((last) => ({ key, answer: last.key === key ? last.answer : undefined, failure }));
      }
      if (everyMs !== undefined && !abort.signal.aborted) timer = setTimeout(() => void turn(), everyMs);
    };
    void turn();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
    // The key contains everything that the request depends on.
  }, [key, everyMs]);
  return asked.key === key ? asked : { answer: undefined, failure: undefined };
}
