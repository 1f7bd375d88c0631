import { timeLeft } from '../../requester.js';
import { abandonedError, StorageError } from '../../storage-errors.js';
import type { CreateOptions, ObjectKey, ObjectValue, StoredObject, StoreEvent } from '../../object-store.js';
import type { TraceContext } from '../../../telemetry/tracing/tracing.js';
import type { CounterState } from '../lineage/counter.repository.js';

/** A write as submitted by the store. */
export interface WriteRequest extends CreateOptions {
  /** Added, modified, deleted. */
  readonly kind: 'A' | 'M' | 'D';
  readonly key: ObjectKey;
  /** The state after an A or M; for a D, the state to be deleted. */
  readonly value: ObjectValue;
  /** The state that an M or D replaces. */
  readonly current?: StoredObject;
}

/** A write in the queue or in a batch, with the functions that settle its promise. */
export interface PendingWrite extends WriteRequest {
  readonly path: string;
  /** Names of the objects that it writes and requires, unique across resources. */
  readonly lock: string;
  readonly containerLock?: string;
  /** Distinguishes this M or D from every other one of the same state. */
  readonly token: number;
  /** Approximate size of the write on the wire. */
  readonly bytes: number;
  /** When it was submitted, by the queue's scheduler. */
  readonly since: number;
  /** The trace that it belongs to, if any. */
  readonly trace?: TraceContext | undefined;
  /** Called with the state that the write created; for a D, with the last state and the deletion's revision. */
  readonly resolve: (object: StoredObject) => void;
  readonly reject: (error: unknown) => void;
  /** How often it was refused for a reason that no longer existed when it was looked up. */
  attempts: number;
  /** Set if an earlier batch with this write may have been committed, or may still be: the state of the counter when that was sent. */
  unclearSince?: CounterState;
}

/** The name by which a batch tells objects apart across resources. */
export function lockName(resource: string, path: string): string {
  return `${resource} ${path}`;
}

/** The state that a write created with this revision; for a deletion, the last state with the deletion's revision. */
export function stateAfter(write: PendingWrite, revision: number): StoredObject {
  const { key, value } = write;
  return { key, uid: value.uid, data: value.data, terminating: value.terminating, revision };
}

const TYPES = { A: 'ADDED', M: 'MODIFIED', D: 'DELETED' } as const;

/** The write as a change. The compare-and-set proved that `current` was the state before. */
export function eventOf(write: PendingWrite, object: StoredObject): StoreEvent {
  if (!write.current) return { type: 'ADDED', revision: object.revision, object };
  return { type: TYPES[write.kind], revision: object.revision, object, previous: write.current };
}

/** Whether the requester of this write is gone, or its deadline has passed. */
export function isAbandoned({ requester }: PendingWrite, now = performance.now()): boolean {
  return timeLeft(requester, now) <= 0;
}

/** Rejects an abandoned write: with Abandoned, or with OutcomeUnknown if an earlier batch may have committed it. */
export function abandon(write: PendingWrite): void {
  write.reject(write.unclearSince ? unknownOutcome(write) : abandonedError(write.lock));
}

/** Rejects a write that is based on state that the database may have lost. */
export function refuseLost(write: PendingWrite): void {
  const refusal = new StorageError('Abandoned', `the database was replaced since ${write.lock} was read`);
  write.reject(write.unclearSince ? unknownOutcome(write) : refusal);
}

/** The error of a write that may or may not have been committed. */
export function unknownOutcome(write: PendingWrite): StorageError {
  return new StorageError('OutcomeUnknown', `the database did not confirm the commit: it is unknown whether ${write.lock} was written`);
}
