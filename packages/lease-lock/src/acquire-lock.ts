import { Acquisition } from './acquisition.js';
import type { Lock } from './lock.js';
import { type LockOptions, completeLockOptions } from './lock-options.js';

/**
 * Resolves once the lock is held. Rejects with a LockError, or with the reason of `options.signal`. Contenders are served in the order in which
 * they came.
 */
export async function acquireLock(name: string, options: LockOptions): Promise<Lock> {
  return new Acquisition(completeLockOptions(name, options)).run();
}

/** Runs work while the lock is held, and frees it afterwards. The work has to end when `lock.signal` aborts. */
export async function withLock<T>(name: string, options: LockOptions, work: (lock: Lock) => T | Promise<T>): Promise<T> {
  const lock = await acquireLock(name, options);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}
