import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from '../api/api-failure.js';

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
