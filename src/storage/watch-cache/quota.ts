import { objectPath } from '../object-path.js';
import type { ObjectKey } from '../object-store.js';
import { StorageError } from '../storage-errors.js';
import { type Usage, type UsageStatistics, UsageStatistics as Reservations } from './state/usage.js';

/** Limits on stored objects. Bytes are those of encoded objects. Absent: no limit. */
export interface QuotaOptions {
  readonly maxObjects?: number;
  readonly maxBytes?: number;
  readonly maxObjectsPerNamespace?: number;
  readonly maxBytesPerNamespace?: number;
}

/**
 * Rejects writes that would exceed a limit, based on the cache's statistics and on this process's writes that have not reached the cache
 * yet. Other processes may write at the same time, so a limit can be exceeded by what is written within one round trip.
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #usage: () => UsageStatistics;
  readonly #reserved = new Reservations();
  /** Functions that release the reservations for an object, by its key. */
  readonly #releases = new Map<string, Set<() => void>>();
  readonly #unlimited: boolean;

  constructor(options: QuotaOptions, usage: () => UsageStatistics) {
    this.#options = options;
    this.#usage = usage;
    this.#unlimited = Object.values(options).every((limit) => limit === undefined);
  }

  /** Runs a write that adds this usage. StorageError QuotaExceeded. */
  admit<T>(key: ObjectKey, added: Usage, write: () => Promise<T>): Promise<T> {
    if (this.#unlimited || (added.objects <= 0 && added.bytes <= 0)) return write();
    return this.#reserveAndWrite(key, added, write);
  }

  /** Called when the cache has applied a change of this object, which replaces its reservations. */
  applied(key: ObjectKey): void {
    if (this.#releases.size === 0) return;
    for (const release of this.#releases.get(idOf(key)) ?? []) release();
  }

  async #reserveAndWrite<T>(key: ObjectKey, added: Usage, write: () => Promise<T>): Promise<T> {
    this.#check(key.namespace, added);
    const release = this.#reserve(key, added);
    try {
      return await write();
    } finally {
      release();
    }
  }

  #reserve(key: ObjectKey, { objects, bytes }: Usage): () => void {
    const id = idOf(key);
    const releases = this.#releases.get(id) ?? new Set();
    this.#releases.set(id, releases);
    this.#reserved.add(key.namespace, objects, bytes);
    const release = () => {
      if (!releases.delete(release)) return;
      if (releases.size === 0) this.#releases.delete(id);
      this.#reserved.add(key.namespace, -objects, -bytes);
    };
    releases.add(release);
    return release;
  }

  #check(namespace: string, added: Usage): void {
    const { maxObjects, maxBytes, maxObjectsPerNamespace, maxBytesPerNamespace } = this.#options;
    const usage = this.#usage();
    checkLimits('', [usage.total, this.#reserved.total, added], maxObjects, maxBytes);
    if (namespace === '') return;
    const inNamespace = [usage.of(namespace), this.#reserved.of(namespace), added];
    checkLimits(` in namespace "${namespace}"`, inNamespace, maxObjectsPerNamespace, maxBytesPerNamespace);
  }
}

function idOf(key: ObjectKey): string {
  return `${key.resource} ${objectPath(key)}`;
}

function checkLimits(where: string, parts: readonly Usage[], maxObjects = Infinity, maxBytes = Infinity): void {
  const objects = parts.reduce((sum, part) => sum + part.objects, 0);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const added = parts.at(-1);
  if (objects > maxObjects && added && added.objects > 0) throw exceeded(`at most ${maxObjects} objects are allowed${where}`);
  if (bytes > maxBytes) throw exceeded(`at most ${maxBytes} bytes of objects are allowed${where}`);
}

function exceeded(limit: string): StorageError {
  return new StorageError('QuotaExceeded', limit, { limit });
}
