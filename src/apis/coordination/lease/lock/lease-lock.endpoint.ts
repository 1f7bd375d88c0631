import { type OnModuleInit, Injectable } from '@nestjs/common';
import { readBody } from '../../../../endpoints/exchange/read-body.js';
import { OpenApiDocuments } from '../../../../endpoints/openapi/openapi-documents.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { sendText } from '../../../../endpoints/response/send-response.js';
import type { Serve } from '../../../../endpoints/routing/route.js';
import { RouteTable } from '../../../../endpoints/routing/route-table.js';
import { ScopeServices } from '../../../../endpoints/scope/request-scope.js';
import { ResourceRegistry } from '../../../../registry/resource-registry.js';
import { leaseDefinition, leaseV1 } from '../lease.resource.js';
import { LeaseHeldError } from './lease-held-error.js';
import { LeaseLocks } from './lease-locks.js';
import { LOCK_OPERATIONS } from './lock-operations.js';
import { type LockOptions, parseLockOptions } from './lock-options.js';
import { headerText, sendLocked } from './send-locked.js';

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
