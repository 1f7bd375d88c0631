import { Inject, Injectable } from '@nestjs/common';
import { badRequest, conflict, notFound } from '../../../../apimachinery/errors/status-errors.js';
import { printable } from '../../../../apimachinery/text/printable.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { ScopeServices } from '../../../../endpoints/scope/request-scope.js';
import { storageResource } from '../../../../registry/resource/resource-definition.js';
import { type ObjectStore, type StoredObject, OBJECT_STORE } from '../../../../storage/object-store.js';
import { Storage } from '../../../../storage/storage.js';
import type { StateContent, StateVersion } from '../../../../storage/state-version.js';
import { isHeldBy } from '../lock/locked-lease.js';
import type { Lease } from '../lease.schema.js';
import { leaseDefinition } from '../lease.resource.js';
import type { StateBody } from './state-body.js';

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
