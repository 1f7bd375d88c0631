import { timeLeft } from '../../requester.js';
import { abandonedError, StorageError } from '../../storage-errors.js';
import type { ObjectKey, ObjectValue, StoredObject, StoreEvent } from '../../object-store.js';
import type { TraceContext } from '../../../telemetry/tracing/tracing.js';
import type { Requester } from '../../requester.js';
import type { CounterState } from '../lineage/counter.repository.js';

/** A write as the store hands it in. */
export interface WriteRequest {
  /** Added, modified, deleted. */
  readonly kind: 'A' | 'M' | 'D';
  readonly key: ObjectKey;
  /** The state after an A or M; for a D the state that goes. */
  readonly value: ObjectValue;
  /** The state that an M or D replaces. */
  readonly current?: StoredObject;
  /** What must exist for an A. */
  readonly container?: ObjectKey;
  /** The requester, whose deadline counts; absent: none. */
  readonly requester?: Requester | undefined;
}

/** A write in the queue or in a batch, with the functions that settle its promise. */
export interface PendingWrite extends WriteRequest {
  readonly path: string;
  /** The names of the objects that it writes and needs, among all resources. */
  readonly lock: string;
  readonly containerLock?: string;
  /** Tells this M or D from every other one of the same state. */
  readonly token: number;
  /** Roughly what it takes on the wire. */
  readonly bytes: number;
  /** When it was handed in, by the queue's scheduler. */
  readonly since: number;
  /** What it is part of, where that is traced. */
  readonly trace?: TraceContext | undefined;
  /** Takes the state that the write made; for a D the last state, with the deletion's revision. */
  readonly resolve: (object: StoredObject) => void;
  readonly reject: (error: unknown) => void;
  /** How often it was refused for a reason that was gone by the time it was looked up. */
  attempts: number;
  /** Set where an earlier batch with this write may have been committed, or may still be: what the counter was when it was sent. */
  unclearSince?: CounterState;
}

/** The name by which a batch tells objects apart, among all resources. */
export function lockName(resource: string, path: string): string {
  return `${resource} ${path}`;
}

/** The state that a write made with this revision; for a deletion the last state, with the deletion's revision. */
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

/** Rejects an abandoned write: with Abandoned, or with OutcomeUnknown if an earlier batch may have carried it out. */
export function abandon(write: PendingWrite): void {
  write.reject(write.unclearSince ? unknownOutcome(write) : abandonedError(write.lock));
}

/** Refuses a write that follows from what the database may have lost. */
export function refuseLost(write: PendingWrite): void {
  const refusal = new StorageError('Abandoned', `the database was replaced since ${write.lock} was looked at`);
  write.reject(write.unclearSince ? unknownOutcome(write) : refusal);
}

/** The error of a write that may or may not have been committed. */
export function unknownOutcome(write: PendingWrite): StorageError {
  return new StorageError('OutcomeUnknown', `the database did not confirm it: whether ${write.lock} was written is not known`);
}
