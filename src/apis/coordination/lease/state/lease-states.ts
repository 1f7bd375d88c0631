import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { hasTooManyValues } from '../../../../apimachinery/codec/limits/body-limits.js';
import { badRequest, conflict, notFound } from '../../../../apimachinery/errors/status-errors.js';
import { printable } from '../../../../apimachinery/text/printable.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { ScopeServices } from '../../../../endpoints/scope/request-scope.js';
import { storageResource } from '../../../../registry/resource/resource-definition.js';
import { type ObjectStore, type StoredObject, OBJECT_STORE } from '../../../../storage/object-store.js';
import type { StateContent, StateVersion } from '../../../../storage/state-version.js';
import { Storage } from '../../../../storage/storage.js';
import { leaseDefinition } from '../lease.resource.js';
import type { Lease } from '../lease.schema.js';
import { isHeldBy } from '../lock/locked-lease.js';

/** A lease that is renewed without pause is at another revision each time. */
const MAX_TRIES = 10;
const MAX_CHARACTERS = 256;

/**
 * Terraform's states, each under the lock of the lease of its name. Rejects with a LeaseHeldError, another ApiError or a StorageError.
 *
 * Whether the writer has the lock is decided here, from a revision of the lease; that the lease is still at this revision is checked in the
 * transaction of the write (migrations/functions/terraform-states.sql), so nobody writes who has lost the lock.
 */
@Injectable()
export class LeaseStates {
  readonly #states: Storage['states'];

  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    private readonly services: ScopeServices,
    { states }: Storage,
  ) {
    this.#states = states;
  }

  /** Whether there is a database for states. */
  get areStored(): boolean {
    return this.#states !== undefined;
  }

  /** The newest version, or that of a number. */
  async read(request: ApiRequest, version: number | undefined): Promise<StateContent> {
    await this.#refuseInOutage();
    const { signal } = request;
    const path = pathOf(request);
    const content = await (version === undefined ? this.#repository.newest(path, signal) : this.#repository.version(path, version, signal));
    if (!content) throw notFound(STATES, request.info.name);
    return content;
  }

  async versions(request: ApiRequest): Promise<StateVersion[]> {
    await this.#refuseInOutage();
    return this.#repository.versions(pathOf(request), request.signal);
  }

  /** Answers the number of the version. `id` is that of the lock; undefined: the writer has none. */
  store(request: ApiRequest, id: string | undefined, body: StateBody): Promise<number> {
    const state = { ...body, writer: writerOf(request) };
    return this.#underLock(request, id, (revision) => this.#repository.store(pathOf(request), revision, state, request.signal));
  }

  /** Removes all versions. */
  async remove(request: ApiRequest, id: string | undefined): Promise<void> {
    const removed = await this.#underLock(request, id, (revision) => this.#repository.remove(pathOf(request), revision, request.signal));
    if (!removed) throw notFound(STATES, request.info.name);
  }

  async #underLock<T>(
    request: ApiRequest,
    id: string | undefined,
    write: (leaseRevision: number | undefined) => Promise<T | 'moved'>,
  ): Promise<T> {
    const { namespace, name } = request.info;
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { object } = await this.objects.get({ resource: LEASES, namespace, name }, { kind: 'latest' });
      const isHeld = object !== undefined && this.#isHeldBy(object, id);
      if (id !== undefined && !isHeld) throw conflict(leaseDefinition, name, lostLock(id));
      const done = await write(object?.revision);
      if (done !== 'moved') return done;
    }
    throw conflict(leaseDefinition, name, 'the lease changes all the time');
  }

  /** Whoever writes has read the lease, and is refused with that. */
  async #refuseInOutage(): Promise<void> {
    await this.objects.currentRevision();
  }

  #isHeldBy({ data, revision }: StoredObject, id: string | undefined): boolean {
    const lease = JSON.parse(data) as Lease;
    const live = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(revision) } };
    return isHeldBy(live, id, { now: this.services.now(), ageOf: (known) => this.objects.ageOf(known) });
  }

  get #repository(): NonNullable<Storage['states']> {
    if (!this.#states) throw new Error('there is no database for states');
    return this.#states;
  }
}

const LEASES = storageResource(leaseDefinition);
const STATES = { group: leaseDefinition.group, resource: `${leaseDefinition.resource}/state` };

/** PostgreSQL's text cannot have U+0000, which a certificate or an issuer may put into a user's name. */
function writerOf({ user }: ApiRequest): string {
  if (user.name.includes('\0')) throw badRequest('the name of the user contains U+0000, which a state cannot record as its writer');
  return user.name.slice(0, MAX_CHARACTERS);
}

/** Of the state, and of the lease that locks it. */
function pathOf({ info }: ApiRequest): string {
  return `${info.namespace}/${info.name}`;
}

function lostLock(id: string): string {
  return `the lock with the ID ${printable(id.slice(0, MAX_CHARACTERS))} is lost`;
}

/** A state as Terraform sent it, and what Terraform calls its serial and lineage. */
interface StateBody {
  readonly data: string;
  readonly serial: number | undefined;
  readonly lineage: string | undefined;
}
/** A state of the largest size has a tenth of this, and parsing it takes no longer than the bytes of any body. */
const MAX_STATE_VALUES = 200_000;

/**
 * Checks that a body is a JSON object and arrived whole; encrypted states of OpenTofu are one, too. Nothing else in it matters here. Throws a 400
 * that quotes nothing of the body, which contains secrets.
 */
export function parseStateBody(body: Buffer, contentMd5: string | string[] | undefined): StateBody {
  if (contentMd5 !== undefined && contentMd5 !== md5Of(body)) throw badRequest('the body does not have the sum in Content-MD5');
  if (!isUtf8(body)) throw badRequest('the state is not UTF-8');
  if (hasTooManyValues(body, MAX_STATE_VALUES)) throw badRequest(`the state has more than ${MAX_STATE_VALUES} values`);
  const data = body.toString('utf8');
  const { serial, lineage } = objectIn(data);
  if (serial !== undefined && !isCount(serial)) throw badRequest('the serial of the state is not a whole number');
  if (lineage !== undefined && !isLineage(lineage)) throw badRequest('the lineage of the state is not a short text');
  return { data, serial, lineage };
}

/** The sum in Content-MD5. */
export function md5Of(body: Buffer | string): string {
  return createHash('md5').update(body).digest('base64');
}

function objectIn(data: string): { readonly serial?: unknown; readonly lineage?: unknown } {
  let content: unknown;
  try {
    content = JSON.parse(data);
  } catch {
    // The parser's message would quote the state.
    throw badRequest('the state is not JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw badRequest('the state is not a JSON object');
  return content;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** PostgreSQL cannot store a NUL. */
function isLineage(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CHARACTERS && !value.includes('\0');
}
