import { sql } from 'kysely';
import { Turns } from '../../../time/turns.js';
import { type Database, STATE_CONNECTIONS } from '../../database/database.js';
import { bigint, integer, text } from '../../database/statement/database-tables.js';
import { type RowOf, type Statement, sqlStatement, statement } from '../../database/statement/statement.js';
import type { StateContent, StateVersion } from '../../state-version.js';
import { StorageError } from '../../storage-errors.js';

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

/** The row that orders the writers and readers of a state. It is committed by itself, so that readers find it to wait for. */
const CREATE_STATE = statement('create_state', [text], (db, [path]) =>
  db
    .insertInto('terraform_state')
    .values({ path })
    .onConflict((conflict) => conflict.column('path').doNothing()),
);

/** Without it, refused writes would leave rows behind. */
const FORGET_EMPTY_STATE = statement('forget_empty_state', [text], (db, [path]) =>
  db.deleteFrom('terraform_state').where('path', '=', path).where('newest', '=', sql.lit(0)),
);

/** `terraform_state_change` of migrations/functions/terraform-states.sql has the contract. */
const CHANGE_STATE: Statement<
  { outcome: 'stored' | 'removed' | 'none' | 'moved' | 'missing' | 'terminating' | 'full' | 'share'; version: number | null },
  readonly [
    path: string,
    leaseRevision: number | null,
    data: string | null,
    writer: string,
    serial: number | null,
    lineage: string | null,
    maxVersions: number,
    maxStates: number,
    maxBytes: number,
    maxPercent: number,
  ]
> = sqlStatement('change_state', 'select * from terraform_state_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)');

/** Waits for a writer of the state, and answers what it has committed. */
export const READ_NEWEST_VERSION = statement('read_newest_state_version', [text], (db, [path]) =>
  db.selectFrom('terraform_state').select('newest').where('path', '=', path).forShare(),
);

export const READ_STATE_VERSION = statement('read_state_version', [text, bigint], (db, [path, version]) =>
  db.selectFrom('terraform_state_version').select(['version', 'data']).where('path', '=', path).where('version', '=', version),
);

/** The newest first. */
export const LIST_STATE_VERSIONS = statement('list_state_versions', [text], (db, [path]) =>
  db
    .selectFrom('terraform_state_version')
    .select(['version', 'written', 'writer', 'serial', 'lineage', 'bytes'])
    .where('path', '=', path)
    .orderBy('version', 'desc'),
);

/** The states of a namespace that is being deleted: by its name ($1) and uid ($2), and as the ends of the range of paths ($3, $4). */
export const REMOVE_STATES_OF_NAMESPACE = statement(
  'remove_states_of_namespace',
  [text, text, text, text],
  (db, [namespace, uid, from, to]) =>
    db
      .deleteFrom('terraform_state')
      .where('path', '>', from)
      .where('path', '<', to)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('objects')
            .select('path')
            .where('resource', '=', sql.lit('namespaces'))
            .where('path', '=', namespace)
            .where('uid', '=', uid)
            .where('terminating', '=', sql.lit(true)),
        ),
      ),
);

/** For metrics; `largestNamespace` in bytes. */
export const COUNT_STATES = statement('count_states', [], (db) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('terraform_state')
        .select([sql<number>`count(*)`.as('states'), sql<number>`sum(bytes)`.as('bytes')])
        .where('newest', '>', sql.lit(0))
        .groupBy(sql`split_part(path, '/', 1)`)
        .as('namespace'),
    )
    .select([
      sql<number>`coalesce(sum(states), 0)::bigint`.as('states'),
      sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'),
      sql<number>`coalesce(max(bytes), 0)::bigint`.as('largestNamespace'),
    ]),
);

/** A page of all versions, after one ($1, $2); $3 the most. */
export const COPY_STATE_VERSIONS = statement('copy_state_versions', [text, bigint, integer], (db, [path, version, limit]) =>
  db
    .selectFrom('terraform_state_version')
    .select(['path as state', 'version', 'written', 'writer', 'serial', 'lineage', 'data'])
    .where(sql<boolean>`(path, version) > (${path}, ${version})`)
    .orderBy('path')
    .orderBy('version')
    .limit(limit),
);

/** Adds copied versions ($1, a JSON array), to states that have none of these numbers. */
export const ADD_STATE_VERSIONS = sqlStatement<never, readonly [versions: string]>(
  'add_state_versions',
  `
    with copied as (
      select c.*, octet_length(c.data) as bytes
      from json_to_recordset($1::json) as c(state text, version bigint, written timestamptz, writer text, serial bigint, lineage text, data text)
    ), head as (
      insert into terraform_state as s (path, newest, bytes)
      select state, max(version), sum(bytes) from copied group by state
      on conflict (path) do update set newest = greatest(s.newest, excluded.newest), bytes = s.bytes + excluded.bytes
    )
    insert into terraform_state_version (path, version, written, writer, serial, lineage, bytes, data)
    select state, version, written, writer, serial, lineage, bytes, data from copied`,
);

/** A version of a state as a copy of its row; `state` is its path. */
export type CopiedStateVersion = RowOf<typeof COPY_STATE_VERSIONS>;
export type StateTotals = RowOf<typeof COUNT_STATES>;
