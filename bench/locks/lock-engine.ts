import type { Figures } from '../measure/figures.js';
import type { LockLoad } from './lock-load.js';

/** A running system that has locks. */
export interface LockEngine {
  readonly name: string;
  /** What is on disk when it has answered. */
  readonly durability: string;
  /** Undefined where it has nothing of that kind. */
  measure(load: LockLoad, seconds: number): Promise<Figures> | undefined;
  stop(): Promise<void>;
}

/** One client's connection. Each method takes one round trip, and answers whether it did what it is named for. */
export interface LockSession {
  acquire(lock: string): Promise<boolean>;
  /** Absent where a lock does not expire. */
  readonly renew?: (lock: string) => Promise<boolean>;
  release(lock: string): Promise<boolean>;
  close(): Promise<void>;
}

/** A program that this machine lacks, and how to get it. */
export class MissingEngineError extends Error {}
