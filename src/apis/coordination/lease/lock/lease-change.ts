import { DEFAULT_LIST_OPTIONS } from '../../../../apimachinery/options/list-options.js';
import type { RequestTarget, ResourceStore } from '../../../../registry/resource/resource-store.js';

/** Resolves when the lease has changed after a revision, when the time is over, if there is one, or when the signal aborts. */
export async function leaseChange(
  store: ResourceStore,
  target: RequestTarget,
  revision: number,
  { ms, signal }: { readonly ms: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  let done = (): void => undefined;
  const changed = new Promise<void>((resolve) => (done = resolve));
  const watch = await store.watch(target, { ...DEFAULT_LIST_OPTIONS, watch: true, resourceVersion: String(revision) }, () => done());
  const timer = ms === undefined ? undefined : setTimeout(done, Math.min(ms, LONGEST_TIMER));
  signal.addEventListener('abort', done, { once: true });
  if (signal.aborted) done();
  try {
    await Promise.race([changed, watch.closed]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', done);
    watch.close();
  }
}

const LONGEST_TIMER = 2 ** 31 - 1;
