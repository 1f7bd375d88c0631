import type { ChangeSource } from '../change-source.js';
import type { UnwatchedStore } from '../object-store.js';
import { type CachedStoreOptions, CachedStore } from './cached-store.js';

/** Opens a cached store over another one, loaded and following it. Rejects if the first snapshot cannot be loaded. */
export async function openCachedStore(inner: UnwatchedStore & ChangeSource, options: CachedStoreOptions = {}): Promise<CachedStore> {
  const store = new CachedStore(inner, options);
  try {
    await store.start();
  } catch (error) {
    store.close();
    throw error;
  }
  return store;
}
