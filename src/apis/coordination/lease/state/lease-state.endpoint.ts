import { type OnModuleInit, Injectable } from '@nestjs/common';
import { badRequest, tooManyRequests, unsupportedMediaType } from '../../../../apimachinery/errors/status-errors.js';
import { printableJson } from '../../../../apimachinery/text/printable.js';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/names.js';
import { readBody } from '../../../../endpoints/exchange/read-body.js';
import { parseMediaType } from '../../../../endpoints/negotiation/serializers.js';
import type { ApiOperation, ApiParameter } from '../../../../endpoints/openapi/api-operation.js';
import { OpenApiDocuments } from '../../../../endpoints/openapi/openapi-documents.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { sendResponse, sendText } from '../../../../endpoints/response/send-response.js';
import { RouteTable } from '../../../../endpoints/routing/route-table.js';
import type { Serve } from '../../../../endpoints/routing/route.js';
import { ScopeServices } from '../../../../endpoints/scope/request-scope.js';
import { interpretStorageError } from '../../../../registry/errors/interpret-storage-error.js';
import { ResourceRegistry } from '../../../../registry/resource-registry.js';
import { Turns } from '../../../../time/turns.js';
import { leaseDefinition, leaseV1 } from '../lease.resource.js';
import { leaseOperation, sendLocked } from '../lock/lease-lock.endpoint.js';
import { LeaseHeldError } from '../lock/locked-lease.js';
import { LeaseStates, md5Of, parseStateBody } from './lease-states.js';

const SUBRESOURCE = 'state';
const OTHER_METHODS = 'POST or PUT stores a state (update_method in Terraform); lock_address and unlock_address end in /lock';
/** Of one user: so many bodies are read at once, and wait for the database. */
const MAX_AT_ONCE = 10;
/** Of one user. Each is a request without its body. */
const MAX_WAITING = 1_000;

/**
 * `leases/NAME/state`: Terraform's http backend, beside `leases/NAME/lock` (docs/locks.md). States contain secrets, so nothing here is given to
 * the log or to the audit record. To authorization and limits it is a subresource, which discovery does not list.
 */
@Injectable()
export class LeaseStateEndpoint implements OnModuleInit {
  readonly #turns = new Turns(MAX_AT_ONCE);

  constructor(
    private readonly states: LeaseStates,
    private readonly services: ScopeServices,
    private readonly routes: RouteTable,
    private readonly registry: ResourceRegistry,
    documents: OpenApiDocuments,
  ) {
    documents.addForReaders(STATE_OPERATIONS);
  }

  onModuleInit(): void {
    if (!this.states.areStored || !this.registry.serves(leaseDefinition, leaseV1)) return;
    const { group, resource } = leaseDefinition;
    const store: Serve = (request) => this.#serve(request, 'update', () => this.#store(request));
    this.routes.subresource(
      { group, version: leaseV1.name, resource, subresource: SUBRESOURCE, others: OTHER_METHODS },
      {
        GET: (request) => this.#serve(request, 'get', () => this.#read(request)),
        POST: store,
        PUT: store,
        DELETE: (request) => this.#serve(request, 'delete', () => this.#remove(request)),
      },
    );
  }

  async #serve(request: ApiRequest, verb: 'get' | 'update' | 'delete', work: () => Promise<void>): Promise<void> {
    try {
      checkName(request);
      if (verb !== 'get' && request.query.has('dryRun')) throw badRequest('states have no dryRun');
      await this.#inTurn(request, work);
    } catch (error) {
      const { namespace, name } = request.info;
      if (error instanceof LeaseHeldError) {
        this.services.errors.note(request, error);
        sendLocked(request, error, 'lock info');
      } else this.services.errors.write(request, interpretStorageError(error, { verb, resource: leaseDefinition, name, namespace }));
    }
  }

  /**
   * Bodies of those who wait are unread. Turns and few connections limit these requests instead of seats, whose queue would refuse some of many:
   * Terraform repeats a write only twice.
   */
  #inTurn(request: ApiRequest, work: () => Promise<void>): Promise<void> {
    const { admission, signal, user } = request;
    const owner = user.name;
    if (this.#turns.waiting(owner) >= MAX_WAITING) throw tooManyRequests(`${MAX_WAITING} requests of this user for states are waiting`, 1);
    if (this.#turns.isFree(owner)) admission.ticket?.wait();
    else admission.waitForOthers();
    return this.#turns.take(work, { owner, signal });
  }

  async #read(request: ApiRequest): Promise<void> {
    if (request.query.has('versions')) {
      sendResponse(request, 200, JSON_TYPE, `${printableJson(JSON.stringify({ versions: await this.states.versions(request) }))}\n`);
      return;
    }
    const { data, version } = await this.states.read(request, versionIn(request));
    sendResponse(request, 200, JSON_TYPE, data, { 'content-md5': md5Of(data), 'state-version': String(version) });
  }

  async #store(request: ApiRequest): Promise<void> {
    checkMediaType(request);
    const body = parseStateBody(await readBody(request.raw), request.headers['content-md5']);
    const version = await this.states.store(request, lockIdIn(request), body);
    sendText(request, 200, `${version}\n`, { 'state-version': String(version) });
  }

  async #remove(request: ApiRequest): Promise<void> {
    await this.states.remove(request, lockIdIn(request));
    sendText(request, 200, 'removed\n');
  }
}

const JSON_TYPE = 'application/json';

/** Terraform names the type. A form or a text, which a page of another site could send unasked, is not taken for a state. */
function checkMediaType({ headers: { 'content-type': type } }: ApiRequest): void {
  if (type && parseMediaType(type) !== JSON_TYPE) throw unsupportedMediaType([JSON_TYPE]);
}

/** There may be a state without a lease, whose names would have been checked. */
function checkName({ info }: ApiRequest): void {
  for (const [what, name] of [
    ['name', info.name],
    ['namespace', info.namespace],
  ] as const) {
    const [problem] = nameIsDnsSubdomain(name, false);
    if (problem !== undefined) throw badRequest(`invalid ${what}: ${problem}`);
  }
}

/** As Terraform names the lock that it has. */
function lockIdIn({ query }: ApiRequest): string | undefined {
  return query.first('ID') || undefined;
}

function versionIn({ query }: ApiRequest): number | undefined {
  const text = query.first('version');
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw badRequest('version must be the number of a version');
  return Number(text);
}

const LOCK_ID: ApiParameter = {
  name: 'ID',
  in: 'query',
  type: 'string',
  description: 'The ID of the lock that the client has; without it, nobody may have the lock.',
};

const JSON_TYPES = ['application/json'];

/** Terraform's states, which only the document for human readers contains: they are no resource of Kubernetes. */
const STATE_OPERATIONS: readonly ApiOperation[] = [
  leaseOperation('state', {
    id: 'readLeaseState',
    method: 'get',
    description: 'Read the newest state, or list its versions. 404 if there is none.',
    consumes: [],
    produces: JSON_TYPES,
    parameters: [
      { name: 'version', in: 'query', type: 'integer', description: 'The number of an older version to read instead.' },
      { name: 'versions', in: 'query', type: 'boolean', description: 'List the versions, the newest first, without their content.' },
    ],
  }),
  leaseOperation('state', {
    id: 'storeLeaseState',
    method: 'post',
    description: 'Store a state as a new version. 423 if somebody else holds the lease, 409 if the client has lost the lock.',
    consumes: JSON_TYPES,
    parameters: [LOCK_ID],
  }),
  leaseOperation('state', {
    id: 'removeLeaseState',
    method: 'delete',
    description: 'Remove a state with all its versions, under the same lock.',
    consumes: [],
    parameters: [LOCK_ID],
  }),
];
