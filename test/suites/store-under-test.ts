import { randomUUID } from 'node:crypto';
import type { KeyRange, ObjectKey, ObjectStore, ObjectValue, StoredObject, UnwatchedStore } from '../../src/storage/object-store.js';
import { type StorageError, type StorageErrorCode, isStorageError } from '../../src/storage/storage-errors.js';

export interface StoreUnderTest<Store extends UnwatchedStore = ObjectStore> {
  readonly store: Store;
  /** Makes everything before this revision unreadable. */
  compact(revision: number): Promise<void>;
  /** Advances the store's time, if the test can; otherwise the suite waits, and skips tests that would take a minute. */
  pass?(ms: number): Promise<void>;
  close(): Promise<void>;
}

export type OpenStore<Store extends UnwatchedStore = ObjectStore> = () => Promise<StoreUnderTest<Store>>;

/** The store of a suite, and the resource of the test. */
export type SuiteContext<Store extends UnwatchedStore = ObjectStore> = () => { opened: StoreUnderTest<Store>; space: Workspace };

export const latest = { kind: 'latest' } as const;
export const any = { kind: 'any' } as const;
export const exact = (revision: number | bigint) => ({ kind: 'exact', revision: BigInt(revision) }) as const;
export const notOlderThan = (revision: number | bigint) => ({ kind: 'notOlderThan', revision: BigInt(revision) }) as const;

let resources = 0;

/** A separate resource for each test, so that tests can share one store, and short forms of frequent calls. */
export class Workspace {
  readonly resource = `things-${++resources}.test`;

  constructor(readonly store: UnwatchedStore) {}

  key(path: string): ObjectKey {
    const [namespace = '', name] = path.split('/');
    return name === undefined ? { resource: this.resource, namespace: '', name: namespace } : { resource: this.resource, namespace, name };
  }

  range(namespace?: string, name?: string): KeyRange {
    return { resource: this.resource, namespace, name };
  }

  create(path: string, data = ''): Promise<StoredObject> {
    return this.store.create(this.key(path), value(data));
  }

  async createAll(...paths: string[]): Promise<StoredObject[]> {
    const objects: StoredObject[] = [];
    for (const path of paths) objects.push(await this.create(path));
    return objects;
  }

  update(current: StoredObject, data: string): Promise<StoredObject> {
    return this.store.update(current, { ...value(data), uid: current.uid });
  }

  async names(range: KeyRange = this.range(), options: Partial<Parameters<UnwatchedStore['list']>[1]> = {}): Promise<string[]> {
    const { objects } = await this.store.list(range, { consistency: latest, ...options });
    return objects.map(pathOf);
  }
}

export function pathOf(object: StoredObject): string {
  return object.key.namespace === '' ? object.key.name : `${object.key.namespace}/${object.key.name}`;
}

export function value(data = '', terminating = false): ObjectValue {
  return { uid: randomUUID(), data, terminating };
}

/** The StorageError that the attempt must end in. */
export async function refusal(attempt: Promise<unknown>): Promise<StorageError> {
  try {
    await attempt;
  } catch (error) {
    if (isStorageError(error)) return error;
    throw error;
  }
  throw new Error('was not refused');
}

export async function refusalCode(attempt: Promise<unknown>): Promise<StorageErrorCode> {
  return (await refusal(attempt)).code;
}
