import type { Scheduler } from '../../../time/scheduler.js';

const PERIOD_MS = 60_000;

/**
 * Calls back about once a minute, with jitter, so that the bookmarks of many watchers are spread out, until the returned function is called.
 */
export function bookmarkTimer(scheduler: Scheduler, due: () => void): () => void {
  let cancel: () => void;
  const wait = () => {
    cancel = scheduler.after(PERIOD_MS * (0.875 + Math.random() / 4), () => {
      wait();
      due();
    });
  };
  wait();
  return () => cancel();
}
