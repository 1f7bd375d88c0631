/** Why a watch ended: by its client, by an error item, by its backlog, by its receiver throwing, with the store. */
export type WatchEnd = 'client' | 'error' | 'slow' | 'receiver' | 'shutdown';

/** What a cached store tells about itself, for metrics and logs. Callbacks must not throw. */
export interface CacheObserver {
  /** Events taken over, from batches of this process or read from the database. */
  applied?(events: number, origin: 'own' | 'feed'): void;
  /** A snapshot was loaded; false where watches could not go on across it. */
  loaded?(objects: number, continuous: boolean): void;
  /** The changes could not be read; it is tried again. */
  readFailed?(error: unknown): void;
  watchStarted?(): void;
  watchEnded?(reason: WatchEnd): void;
  /** A watch's receiver threw; its watch is closed. */
  receiverFailed?(error: unknown): void;
}
