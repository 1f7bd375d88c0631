import { Turns } from '../../../time/turns.js';
import { type Database, STATE_CONNECTIONS } from '../../database/database.js';
import { StorageError } from '../../storage-errors.js';
import type { StateContent, StateVersion } from '../../state-version.js';
import {
  CHANGE_STATE,
  CREATE_STATE,
  FORGET_EMPTY_STATE,
  LIST_STATE_VERSIONS,
  READ_NEWEST_VERSION,
  READ_STATE_VERSION,
  REMOVE_STATES_OF_NAMESPACE,
} from './state-statements.js';

/** A version to be stored. */
export interface NewState {
  readonly data: string;
  readonly writer: string;
  readonly serial: number | undefined;
  readonly lineage: string | undefined;
}

/**
 * More are of little use to whoever looks for the last good one: an apply that goes on for long stores one every twenty seconds, one that does
 * not stores one or two.
 */
const MAX_VERSIONS = 100;
/** Bounds the sum of sizes that each write computes. */
const MAX_STATES = 10_000;
/** Each retry means that somebody created or removed the state at that moment. */
const MAX_TRIES = 5;

/** What all versions of all states may have, and the percentage of it, and of the number of states, that one namespace may have. */
export interface StateLimits {
  readonly bytes: number;
  readonly percentPerNamespace: number;
}

/**
 * States of Terraform, in versions. `path` is `NAMESPACE/LEASE`, whether there is the lease or not. Methods wait for one of few connections,
 * until the signal's reason rejects them. They reject with StorageError Unavailable, and those that write with OutcomeUnknown.
 */
export class StateRepository {
  readonly #database: Database;
  readonly #limits: StateLimits;
  readonly #turns = new Turns(STATE_CONNECTIONS);

  constructor(database: Database, limits: StateLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** What the last writer has stored that was ahead of this call, even if its commit comes later; undefined if there is no state. */
  newest(path: string, signal?: AbortSignal): Promise<StateContent | undefined> {
    return this.#turns.take(() => this.#newest(path), { signal });
  }

  async #newest(path: string): Promise<StateContent | undefined> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const [row] = await this.#database.query(READ_NEWEST_VERSION, [path], { purpose: 'states' });
      if (!row || row.newest === 0) return undefined;
      const content = await this.#version(path, row.newest);
      if (content) return content;
    }
    return undefined;
  }

  /** A version by its number; undefined if there is none, or none any more. */
  version(path: string, version: number, signal?: AbortSignal): Promise<StateContent | undefined> {
    return this.#turns.take(() => this.#version(path, version), { signal });
  }

  async #version(path: string, version: number): Promise<StateContent | undefined> {
    return (await this.#database.query(READ_STATE_VERSION, [path, version], { purpose: 'states' }))[0];
  }

  /** All versions without their content, the newest first. */
  versions(path: string, signal?: AbortSignal): Promise<StateVersion[]> {
    return this.#turns.take(() => this.#database.query(LIST_STATE_VERSIONS, [path], { purpose: 'states' }), { signal });
  }

  /**
   * Stores a version if the lease is still at this revision, undefined if there must be none; otherwise the answer is `moved`. Answers the
   * number of the version, that of the newest one if it has this content already. Also rejects with StorageError ContainerMissing,
   * ContainerTerminating and QuotaExceeded.
   */
  store(path: string, leaseRevision: number | undefined, state: NewState, signal?: AbortSignal): Promise<number | 'moved'> {
    return this.#turns.take(() => this.#store(path, leaseRevision, state), { signal });
  }

  async #store(path: string, leaseRevision: number | undefined, state: NewState): Promise<number | 'moved'> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { outcome, version } = await this.#change(path, leaseRevision, state);
      if (outcome === 'stored') return version ?? 0;
      if (outcome === 'moved') return outcome;
      if (outcome === 'none') await this.#database.query(CREATE_STATE, [path], { purpose: 'states', isDurable: true });
      else await this.#refuse(path, outcome);
    }
    return 'moved';
  }

  /** Removes a state with all its versions, on the same condition. Answers whether there was one. */
  async remove(path: string, leaseRevision: number | undefined, signal?: AbortSignal): Promise<boolean | 'moved'> {
    const { outcome, version } = await this.#turns.take(() => this.#change(path, leaseRevision, undefined), { signal });
    if (outcome === 'moved') return outcome;
    return outcome === 'removed' && version !== 0;
  }

  /** Removes the states of a namespace, unless it is not being deleted or was created again since. */
  async removeNamespace(namespace: string, uid: string): Promise<void> {
    const values = [namespace, uid, `${namespace}/`, `${namespace}0`] as const;
    await this.#turns.take(() => this.#database.query(REMOVE_STATES_OF_NAMESPACE, values, { purpose: 'states', isDurable: true }));
  }

  async #change(path: string, leaseRevision: number | undefined, state: NewState | undefined) {
    const { data = null, writer = '', serial = null, lineage = null } = state ?? {};
    const { bytes, percentPerNamespace } = this.#limits;
    const [row] = await this.#database.query(
      CHANGE_STATE,
      [path, leaseRevision ?? null, data, writer, serial ?? null, lineage ?? null, MAX_VERSIONS, MAX_STATES, bytes, percentPerNamespace],
      { purpose: 'states', isDurable: true },
    );
    return row ?? { outcome: 'none', version: null };
  }

  async #refuse(path: string, outcome: string): Promise<never> {
    await this.#database.query(FORGET_EMPTY_STATE, [path], { purpose: 'states', isDurable: true });
    if (outcome === 'missing') throw new StorageError('ContainerMissing', `the namespace of the state ${path} does not exist`);
    if (outcome === 'terminating') throw new StorageError('ContainerTerminating', `the namespace of the state ${path} is being deleted`);
    const { bytes, percentPerNamespace } = this.#limits;
    const all = `max-state-bytes=${bytes}, states=${MAX_STATES}`;
    const limit =
      outcome === 'share'
        ? `max-state-percent-per-namespace=${percentPerNamespace} of ${all}; delete states of this namespace, or raise the percentage`
        : `${all} in all namespaces; delete states, or raise max-state-bytes`;
    throw new StorageError('QuotaExceeded', `there is no room for the state ${path}`, { limit });
  }
}
