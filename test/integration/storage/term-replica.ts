import type { Lease, LeaseSpec } from '../../../src/apis/coordination/lease/lease.schema.js';
import type { LeaseTerm } from '../../../src/apis/history/lease-term/lease-term.schema.js';
import { leaseTermDefinition, leaseTermV1 } from '../../../src/apis/history/lease-term/lease-term.resource.js';
import { AdmissionChain } from '../../../src/registry/admission/admission.js';
import { GenericResourceStore } from '../../../src/registry/generic-resource-store.js';
import type { OpenPostgresStoreOptions } from '../../../src/storage/postgres/open-postgres-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { decoded, DELETE, leaseTarget, LIST, patch, RegistryFixture, WRITE } from '../../support/registry-fixture.js';
import { openTestStore } from './open-test-store.js';

/** Storage and registry of a server process: leases are written as requests write them, and terms are read as requests read them. */
export class TermReplica {
  readonly terms: GenericResourceStore<LeaseTerm>;
  readonly registry: RegistryFixture;
  readonly [Symbol.asyncDispose] = () => this.close();

  private constructor(
    readonly postgres: PostgresStore,
    readonly cached: CachedStore,
  ) {
    this.registry = new RegistryFixture(() => cached);
    const admission = new AdmissionChain([]);
    this.terms = new GenericResourceStore({ definition: leaseTermDefinition, objects: cached, admission, now: Date.now });
  }

  static async open(url: string, options: Partial<OpenPostgresStoreOptions> = {}): Promise<TermReplica> {
    const postgres = await openTestStore(url, options);
    return new TermReplica(postgres, await openCachedStore(postgres));
  }

  async close(): Promise<void> {
    this.cached.close();
    await this.postgres.close();
  }

  /** `atMs`: when the server receives the request, by its clock. */
  async create(name: string, spec: LeaseSpec = {}, labels?: Record<string, string>, atMs = Date.now()): Promise<Lease> {
    this.registry.nowMs = atMs;
    return decoded(await this.registry.createLease({ metadata: { name, labels }, spec }));
  }

  /** Patches the spec, whatever the lease's present state. */
  async write(name: string, spec: LeaseSpec, atMs = Date.now()): Promise<Lease> {
    this.registry.nowMs = atMs;
    const source = patch<Lease>((live) => ({ ...live, spec: { ...live.spec, ...spec } }));
    const { object } = await this.registry.leases.update(this.registry.context, leaseTarget(name), source, WRITE);
    return decoded(object);
  }

  async delete(name: string): Promise<void> {
    await this.registry.leases.delete(this.registry.context, leaseTarget(name), DELETE);
  }

  /** In the order of their names. */
  async list(options: Partial<typeof LIST> = {}, namespace = 'ns'): Promise<LeaseTerm[]> {
    const { objects } = await this.terms.list({ version: leaseTermV1, namespace, name: '' }, { ...LIST, ...options });
    return objects.map((object) => decoded<LeaseTerm>(object));
  }

  /** All terms of a lease, the oldest first. */
  async history(lease: string): Promise<LeaseTerm[]> {
    const terms = await this.list({ fieldSelector: `spec.leaseName=${lease}` });
    return terms.sort((a, b) => Number(a.spec.fencingToken) - Number(b.spec.fencingToken));
  }
}

/** `holder phase reason` of each. */
export function summary(terms: readonly LeaseTerm[]): string[] {
  return terms.map(({ spec, status }) => [spec.holder, status.phase, status.reason].filter(Boolean).join(' '));
}
