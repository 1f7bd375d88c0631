import { type OnModuleInit, Injectable } from '@nestjs/common';
import { printable } from '../../../../apimachinery/text/printable.js';
import { readBody } from '../../../../endpoints/exchange/read-body.js';
import type { ApiOperation, ApiParameter } from '../../../../endpoints/openapi/api-operation.js';
import { OpenApiDocuments } from '../../../../endpoints/openapi/openapi-documents.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { sendResponse, sendText } from '../../../../endpoints/response/send-response.js';
import { groupVersionPath } from '../../../../endpoints/routing/resource-routes.js';
import { RouteTable } from '../../../../endpoints/routing/route-table.js';
import type { Serve } from '../../../../endpoints/routing/route.js';
import { ScopeServices } from '../../../../endpoints/scope/request-scope.js';
import { ResourceRegistry } from '../../../../registry/resource-registry.js';
import { leaseDefinition, leaseV1 } from '../lease.resource.js';
import { LeaseLocks } from './lease-locks.js';
import { type LockOptions, LeaseHeldError, parseLockOptions } from './locked-lease.js';

const SUBRESOURCE = 'lock';
const OTHER_METHODS = 'PUT or LOCK takes a lock (lock_method in Terraform), DELETE or UNLOCK frees it (unlock_method)';

/**
 * `leases/NAME/lock`: PUT takes or renews a lease and DELETE frees it, as do Terraform's LOCK and UNLOCK, without an object in the body (docs/locks.md). To authorization, audit
 * and limits it is a subresource; discovery does not list it, because there is no kind that kubectl could send.
 */
@Injectable()
export class LeaseLockEndpoint implements OnModuleInit {
  constructor(
    private readonly locks: LeaseLocks,
    private readonly services: ScopeServices,
    private readonly routes: RouteTable,
    private readonly registry: ResourceRegistry,
    documents: OpenApiDocuments,
  ) {
    documents.addForReaders(LOCK_OPERATIONS);
  }

  onModuleInit(): void {
    if (!this.registry.serves(leaseDefinition, leaseV1)) return;
    const { group, resource } = leaseDefinition;
    const lock: Serve = (request) => this.#serve(request, (options) => this.#lock(request, options));
    const unlock: Serve = (request) => this.#serve(request, (options) => this.#unlock(request, options));
    this.routes.subresource(
      { group, version: leaseV1.name, resource, subresource: SUBRESOURCE, others: OTHER_METHODS },
      { PUT: lock, LOCK: lock, DELETE: unlock, UNLOCK: unlock },
    );
  }

  async #serve(request: ApiRequest, work: (options: LockOptions) => Promise<void>): Promise<void> {
    let options: LockOptions | undefined;
    try {
      options = parseLockOptions(request.query, await readBody(request.raw), request.headers['content-md5']);
      await work(options);
    } catch (error) {
      if (error instanceof LeaseHeldError && options) {
        this.services.errors.note(request, error);
        sendLocked(request, error, options.info === undefined ? 'text' : 'lock info');
      } else this.services.errors.write(request, error);
    }
  }

  async #lock(request: ApiRequest, options: LockOptions): Promise<void> {
    const { token, preferred } = await this.locks.lock(request, options);
    sendText(request, 200, `${token}\n`, {
      'lease-token': String(token),
      'lease-holder': headerText(options.holder ?? ''),
      ...(preferred !== undefined && { 'lease-preferred-holder': headerText(preferred) }),
    });
  }

  async #unlock(request: ApiRequest, options: LockOptions): Promise<void> {
    await this.locks.unlock(request, options);
    sendText(request, 200, 'free\n');
  }
}

/** 423 with the holder: as text, or for Terraform as the description of the holder's operation. */
export function sendLocked(request: ApiRequest, { holder, info, verb }: LeaseHeldError, form: 'text' | 'lock info'): void {
  const headers = { 'lease-holder': headerText(holder), 'retry-after': '1' };
  if (form === 'text') sendText(request, 423, `${printable(holder)} ${verb} it\n`, headers);
  else sendResponse(request, 423, 'application/json', info ?? JSON.stringify({ ID: holder, Who: holder }), headers);
}

/** A holder may be any text; what a header cannot carry is percent-encoded. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

const TEXT = ['text/plain'];
const HOLDER = {
  name: 'holder',
  in: 'query',
  type: 'string',
  description: 'Who holds the lock; must differ from every other contender.',
  example: 'host-1',
} as const;
const PLACE: readonly ApiParameter[] = [
  { name: 'namespace', in: 'path', type: 'string', description: 'Namespace of the lease.', shared: true, example: 'default' },
  { name: 'name', in: 'path', type: 'string', description: 'Name of the lease.', shared: true, example: 'example' },
];

type Own = Pick<ApiOperation, 'id' | 'method' | 'description' | 'parameters'> & Partial<ApiOperation>;

/** An operation on what is beside a lease; bodies are text unless it says otherwise. */
export function leaseOperation(subresource: 'lock' | 'state', { parameters, ...own }: Own): ApiOperation {
  const root = groupVersionPath(leaseDefinition.group, leaseV1.name);
  const path = `${root}/namespaces/{namespace}/${leaseDefinition.resource}/{name}/${subresource}`;
  return { consumes: TEXT, produces: TEXT, ...own, path, tag: 'lock', parameters: [...PLACE, ...parameters], codes: [200] };
}

/** Locks over HTTP, which only the document for human readers contains: they are no resource of Kubernetes. */
const LOCK_OPERATIONS: readonly ApiOperation[] = [
  leaseOperation('lock', {
    id: 'lockLease',
    method: 'put',
    description: 'Take a lease, or renew it. The answer is the fencing token; 423 if somebody else holds the lease.',
    parameters: [
      HOLDER,
      {
        name: 'duration',
        in: 'query',
        type: 'string',
        description: 'How long the lease lasts without a renewal, such as 60s, the default.',
      },
      {
        name: 'wait',
        in: 'query',
        type: 'string',
        description: 'How long to wait for it, such as 10s; at most 30s, by default not at all.',
      },
      {
        name: 'priority',
        in: 'query',
        type: 'string',
        description:
          'A whole number. A holder with a smaller one is asked to hand over: its next answer has the header Lease-Preferred-Holder.',
      },
    ],
  }),
  leaseOperation('lock', {
    id: 'unlockLease',
    method: 'delete',
    description: 'Free a lease. 423 if somebody else holds it.',
    parameters: [HOLDER, { name: 'force', in: 'query', type: 'string', description: 'With "true", the lease is freed whoever holds it.' }],
  }),
];
