import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { badRequest, notFound } from '../../apimachinery/errors/status-errors.js';
import { microTime } from '../../apimachinery/go/go-time.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { type Lease, type LeaseSpec, leaseExpiry } from '../../apis/coordination/lease/lease.schema.js';
import { leaseDefinition, leaseV1 } from '../../apis/coordination/lease/lease.resource.js';
import type { LeaseStore } from '../../apis/coordination/lease/lease.module.js';
import { leaseChange } from '../../apis/coordination/lease/lock/lease-locks.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/request-context.js';
import type { MemoryStorage } from '../../storage/open-memory-storage.js';
import { objectPath } from '../../storage/object-path.js';
import type { StoredObject } from '../../storage/object-store.js';
import { systemScheduler } from '../../time/scheduler.js';
import { LEASE_RESOURCE } from '../../storage/term-change.js';
import type { AwaitedHolder, LeaseHolder, LeaseName, ServerTime, TakeOver, TestDuration } from '../test-server.js';
import type { TestTime } from '../test-time.js';
import { type ClockOrders, durationOf } from './state-orders.js';

const MANAGER = 'test';
const OPTIONS = { dryRun: false, fieldManager: MANAGER, fieldValidation: 'Ignore' } as const;
const DEFAULT_SECONDS = 15;
const DEFAULT_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;
/** The longest time from a lease's expiry to its mark: a replica judges a little late, and again if the store's clock disagrees. */
const NOTICED_MS = 500;

export class LeaseNameValue implements LeaseName {
  @IsString({ message: 'name is missing: that of the lease' })
  @MinLength(1)
  @MaxLength(253)
  name!: string;

  @IsOptional()
  @IsString()
  @MaxLength(63)
  namespace?: string;
}

export class TakeOverValue extends LeaseNameValue implements TakeOver {
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(1024)
  holder?: string;
}

export class AwaitedHolderValue extends LeaseNameValue implements AwaitedHolder {
  @IsOptional()
  @IsString()
  @MaxLength(1024)
  holder?: string;

  @IsOptional()
  timeout?: TestDuration;
}

/** Orders about single leases. They write through the registry, as clients do. */
export class LeaseOrders {
  readonly #leases: LeaseStore;
  readonly #storage: MemoryStorage;
  readonly #time: TestTime;
  readonly #clock: ClockOrders;

  constructor(leases: LeaseStore, storage: MemoryStorage, time: TestTime, clock: ClockOrders) {
    this.#leases = leases;
    this.#storage = storage;
    this.#time = time;
    this.#clock = clock;
  }

  takeOver({ holder = 'somebody-else', ...lease }: TakeOver): Promise<LeaseHolder> {
    const now = microTime(this.#time.clock());
    return this.#write(lease, true, ({ leaseDurationSeconds: seconds, leaseTransitions = 0, ...spec }) => ({
      ...{ ...spec, holderIdentity: holder, acquireTime: now, renewTime: now },
      // the duration of a lease that is free is no holder's
      leaseDurationSeconds: (spec.holderIdentity && seconds) || DEFAULT_SECONDS,
      leaseTransitions: leaseTransitions + (spec.holderIdentity === holder ? 0 : 1),
    }));
  }

  release(lease: LeaseName): Promise<LeaseHolder> {
    const now = microTime(this.#time.clock());
    // as client-go's elector does (leaderelection.go, release)
    return this.#write(lease, false, (spec) => ({
      ...spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
    }));
  }

  async delete(lease: LeaseName): Promise<void> {
    await this.#leases.delete(systemContext(MANAGER), targetOf(lease), { dryRun: false });
  }

  async expire(lease: LeaseName): Promise<ServerTime> {
    const { object } = await this.#read(lease);
    if (!object) throw notFound(leaseDefinition, lease.name);
    const expiry = leaseExpiry(JSON.parse(object.data) as Lease, 'end');
    if (expiry === undefined) throw badRequest('the lease never expires: it has no leaseDurationSeconds or no renewTime');
    return this.#clock.move({ by: Math.max(0, expiry + NOTICED_MS - this.#time.clock()) });
  }

  async waitFor({ holder, timeout = DEFAULT_WAIT_MS, ...lease }: AwaitedHolder): Promise<LeaseHolder> {
    const over = AbortSignal.timeout(durationOf('timeout', timeout, LONGEST_WAIT_MS));
    for (;;) {
      const { object, revision } = await this.#read(lease);
      const found = this.#holderIn(object, revision);
      if (holder === undefined ? found.holder !== '' : found.holder === holder) return found;
      if (over.aborted) throw waitedInVain(lease, holder, found.holder);
      await leaseChange(this.#leases, targetOf(lease), revision, { ms: undefined, signal: over, scheduler: systemScheduler });
    }
  }

  #read({ name, namespace = 'default' }: LeaseName): Promise<{ object?: StoredObject; revision: number }> {
    return this.#storage.objects.get({ resource: LEASE_RESOURCE, namespace, name }, { kind: 'latest' });
  }

  async #write(lease: LeaseName, mayCreate: boolean, next: (spec: LeaseSpec) => LeaseSpec): Promise<LeaseHolder> {
    const source: UpdateSource = {
      next: (live) => {
        const { metadata = { name: lease.name }, spec = {} } = (live ?? {}) as Partial<Lease>;
        return { metadata, spec: next(spec) } as KubeObject;
      },
      mayCreate,
      tracksFields: 'update',
      retries: true,
    };
    const { object } = await this.#leases.update(systemContext(MANAGER), targetOf(lease), source, OPTIONS);
    return this.#holderIn(object, object.revision);
  }

  #holderIn(object: StoredObject | undefined, revision: number): LeaseHolder {
    const { holderIdentity } = (object ? (JSON.parse(object.data) as Lease).spec : undefined) ?? {};
    const term = object && this.#storage.terms.open.get(objectPath(object.key));
    return {
      holder: holderIdentity ?? '',
      ...(holderIdentity && term && { token: String(term.columns.token) }),
      resourceVersion: String(object?.revision ?? revision),
    };
  }
}

function targetOf({ name, namespace = 'default' }: LeaseName) {
  return { version: leaseV1, namespace, name };
}

function waitedInVain({ name }: LeaseName, wanted: string | undefined, found: string): ApiError {
  const by = found === '' ? 'nobody' : JSON.stringify(found);
  const message = `lease ${JSON.stringify(name)} is held by ${by}, not by ${wanted === undefined ? 'anybody' : JSON.stringify(wanted)}`;
  return new ApiError({ code: 504, reason: 'Timeout', message });
}
