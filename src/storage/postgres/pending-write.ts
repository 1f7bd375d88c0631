import type { TraceContext } from '../../telemetry/tracing/tracing.js';
import type { ObjectKey, ObjectValue, Requester, StoredObject } from '../object-store.js';
import type { CounterState } from './counter-state.js';

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
  /** Who waits for it; absent: somebody without a deadline. */
  readonly requester?: Requester | undefined;
}

/** One write on its way, and the promise of whoever waits for it. */
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
  /** How often it was refused for a reason that was gone when it was looked for. */
  attempts: number;
  /** Set where an earlier batch with this write may have been committed, or may still be: what the counter was when it was sent. */
  unclearSince?: CounterState;
}

export function lockName(resource: string, path: string): string {
  return `${resource} ${path}`;
}
