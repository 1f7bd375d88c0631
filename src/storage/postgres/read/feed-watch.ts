import type { Changes } from '../../change-source.js';
import type { QueuedWatch } from '../../watch/queued-watch.js';
import { compactedError, isStorageError } from '../../storage-errors.js';

/** The source of a watch's changes. */
export interface WatchSource {
  readChanges(after: number): Promise<Changes | 'compacted'>;
  compactedRevision(): Promise<number>;
  onWake(wake: () => void): () => void;
  onCommitted(wake: () => void): () => void;
}

/**
 * Delivers every change after a revision to a watch. Each watch reads from the database by itself: only the watch cache makes many watches
 * cheap. If the database is unavailable, it is read again at the next wake-up.
 */
export function feedWatch(watch: QueuedWatch, after: number, source: WatchSource): void {
  let at = after;
  let open = true;
  let running = false;
  let again = false;

  const readOn = async () => {
    try {
      const changes = await source.readChanges(at);
      if (changes === 'compacted') {
        watch.push({ kind: 'error', error: compactedError(at, await source.compactedRevision()) });
        return;
      }
      watch.offer(changes.events, changes.revision);
      at = changes.revision;
      again ||= changes.more ?? false;
    } catch (error) {
      if (!isStorageError(error, 'Unavailable')) watch.push({ kind: 'error', error: error as Error });
    }
  };
  const pump = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await readOn();
    } while (again && open);
    running = false;
  };

  const stops = [source.onWake(() => void pump()), source.onCommitted(() => void pump())];
  void watch.closed.then(() => {
    open = false;
    for (const stop of stops) stop();
  });
  void pump();
}
