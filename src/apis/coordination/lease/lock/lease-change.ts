import { DEFAULT_LIST_OPTIONS } from '../../../../apimachinery/options/list-options.js';
import type { RequestTarget, ResourceStore } from '../../../../registry/resource/resource-store.js';
import type { Scheduler } from '../../../../time/scheduler.js';

/** Resolves when the lease has changed after a revision, when the time is over, if there is one, or when the signal aborts. */
export async function leaseChange(
  store: ResourceStore,
  target: RequestTarget,
  revision: number,
  { ms, signal, scheduler }: { readonly ms: number | undefined; readonly signal: AbortSignal; readonly scheduler: Scheduler },
): Promise<void> {
  let done = (): void => undefined;
  const changed = new Promise<void>((resolve) => (done = resolve));
  const watch = await store.watch(target, { ...DEFAULT_LIST_OPTIONS, watch: true, resourceVersion: String(revision) }, () => done());
  const cancel = ms === undefined ? undefined : scheduler.after(ms, done);
  signal.addEventListener('abort', done, { once: true });
  if (signal.aborted) done();
  try {
    await Promise.race([changed, watch.closed]);
  } finally {
    cancel?.();
    signal.removeEventListener('abort', done);
    watch.close();
  }
}
