import type { Clock } from './clock.js';

/**
 * Runs a request that must end within the time and before the outer signal aborts. Rejects at that moment even if the request
 * ignores its own signal.
 */
export function withTimeout<T>(clock: Clock, ms: number, outer: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const outerAborts = () => controller.abort(outer.reason);
  if (outer.aborted) return Promise.reject(asError(outer.reason));
  outer.addEventListener('abort', outerAborts, { once: true });
  const cancel = clock.after(ms, () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')));

  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(asError(signal.reason)), { once: true });
    request(signal).then(resolve, reject);
  }).finally(() => {
    cancel();
    outer.removeEventListener('abort', outerAborts);
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
}
