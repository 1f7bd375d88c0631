import { createHash } from 'node:crypto';
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, NODES, SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import { type AuthorizationAttributes, isLongRunning } from '../../auth/authorization/authorizer.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { ActivityTimer } from '../../telemetry/activity-timer.js';
import { type LevelHost, EXEMPT, PRIORITY_LEVELS, PriorityLevel } from './priority-level.js';
import {
  type Classification,
  type Flow,
  type LimitedRequest,
  type RequestLimiter,
  type Ticket,
  type WorkEstimator,
  FlowCounts,
  FlowTicket,
  flowOf,
} from './request-limiter.js';

export interface FlowControlOptions {
  /** Seats of all levels together (`--max-requests-inflight` plus `--max-mutating-requests-inflight`). */
  readonly seats: number;
  readonly estimator: WorkEstimator;
  /** Time limit of requests without a limit of their own (`--request-timeout`). */
  readonly requestTimeoutMs: number;
  readonly now: () => number;
}

/** State of a priority level, for metrics. */
export interface PriorityLevelStatistics {
  readonly name: string;
  readonly nominalSeats: number;
  readonly seatsInUse: number;
  readonly executing: number;
  readonly waiting: number;
}

/** State of a flow schema, for metrics. */
export interface FlowSchemaStatistics {
  readonly name: string;
  readonly level: string;
  readonly counts: Readonly<FlowCounts>;
}

/** A flow schema in use: its level, and its flows with requests. */
interface FlowSchema extends FlowSchemaSpec, Classification {
  readonly priorityLevel: PriorityLevel;
  readonly flows: Map<string, Flow>;
  readonly counts: FlowCounts;
}

const SWEEP_MS = 100;
/** A request waits for at most a quarter of its time limit, and never longer than this (apiserver filters/priority-and-fairness.go). */
const MAX_WAIT_MS = 60_000;

/**
 * Priority and fairness after upstream's (KEP-1040), with a fixed configuration: every request belongs to a flow of a priority level, takes
 * seats of the level while it is served, and waits in its flow's queue while no seats are free. One timer serves all waiting requests.
 */
export class FlowControl implements RequestLimiter, LevelHost {
  readonly now: () => number;
  readonly #options: FlowControlOptions;
  readonly #levels: readonly PriorityLevel[];
  readonly #schemas: readonly FlowSchema[];
  readonly #pressure = new LoopPressure(SWEEP_MS);
  readonly #timer = new ActivityTimer(SWEEP_MS, () => this.#tick());

  constructor(options: FlowControlOptions) {
    this.now = options.now;
    this.#options = options;
    const shares = PRIORITY_LEVELS.reduce((sum, level) => sum + level.shares, 0);
    this.#levels = PRIORITY_LEVELS.map((spec) => new PriorityLevel(spec, Math.ceil((options.seats * spec.shares) / shares), this));
    this.#schemas = FLOW_SCHEMAS.map((spec) => this.#schemaOf(spec));
  }

  get share(): number {
    return this.#pressure.share;
  }

  close(): void {
    this.#timer.close();
  }

  statistics(): PriorityLevelStatistics[] {
    return this.#levels.map(({ name, nominal, inUse, executing, waiting }) => {
      return { name, nominalSeats: nominal, seatsInUse: inUse, executing, waiting };
    });
  }

  schemaStatistics(): FlowSchemaStatistics[] {
    return this.#schemas.map(({ name, level, counts }) => ({ name, level, counts }));
  }

  admit(request: LimitedRequest): Ticket {
    if (this.#timer.start()) this.#pressure.begin(performance.now());
    const { user, info } = request;
    const schema = this.#classify(user, info);
    const isWatch = info.verb === 'watch';
    // Upstream lets other long-running requests pass unseen. Here they take a seat, too, which only its headers would show.
    if (isWatch || !isLongRunning(info)) request.classification = schema;
    const level = schema.priorityLevel;
    if (schema.level === EXEMPT) {
      const ticket = new FlowTicket(level, 0, isWatch);
      level.executing++;
      ticket.counts = schema.counts;
      ticket.counts.begin(0);
      return ticket;
    }
    const ticket = new FlowTicket(level, this.#options.estimator.seats(request, level.maxSeats), isWatch);
    ticket.counts = schema.counts;
    level.admit(ticket, flowOf(schema.flows, distinguish(schema, user, info)), this.#waitMs(request.admission.limitMs));
    return ticket;
  }

  lendable(borrower: PriorityLevel): number {
    let seats = 0;
    for (const level of this.#levels) if (level !== borrower) seats += level.nominal - Math.max(level.kept, level.inUse);
    return Math.max(0, seats);
  }

  freed(): void {
    for (const level of this.#levels) if (level.waiting > 0) level.dispatch();
  }

  #tick(): boolean {
    this.#pressure.tick(performance.now());
    this.sweep();
    return this.#pressure.share < 1 || this.#levels.some((level) => !level.idle || level.inUse > 0);
  }

  /** Rejects requests that have waited long enough. Called by a timer; public for tests. */
  sweep(): void {
    for (const level of this.#levels) if (!level.idle) level.sweep(this.now());
  }

  #waitMs(limitMs = this.#options.requestTimeoutMs): number {
    return Math.min(limitMs / 4, MAX_WAIT_MS);
  }

  #classify(user: UserInfo, attributes: AuthorizationAttributes): FlowSchema {
    for (const schema of this.#schemas) if (schema.matches(user, attributes)) return schema;
    throw new Error('the last flow schema matches every request');
  }

  #schemaOf(spec: FlowSchemaSpec): FlowSchema {
    const priorityLevel = this.#levels.find(({ name }) => name === spec.level);
    if (!priorityLevel) throw new Error(`flow schema ${spec.name} names no priority level`);
    return {
      ...spec,
      priorityLevel,
      flows: new Map(),
      counts: new FlowCounts(),
      flowSchemaUid: stableUid(`flowschemas/${spec.name}`),
      priorityLevelUid: stableUid(`prioritylevelconfigurations/${spec.level}`),
    };
  }
}

function distinguish({ distinguisher }: FlowSchemaSpec, user: UserInfo, attributes: AuthorizationAttributes): string {
  if (distinguisher === 'user') return user.name;
  return distinguisher === 'namespace' ? attributes.namespace : '';
}

/** The UID of an object that is built in rather than stored: a name-based UUID that is the same on every server. */
function stableUid(name: string): string {
  const digest = createHash('sha256').update(`coordination-apiserver/${name}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Which requests belong to which level, and how they are divided into flows (upstream: FlowSchema). */
interface FlowSchemaSpec {
  readonly name: string;
  readonly level: string;
  /** What its flows are distinguished by; if absent, all of its requests form one flow. */
  readonly distinguisher?: 'user' | 'namespace';
  matches(user: UserInfo, attributes: AuthorizationAttributes): boolean;
}

const CONTROLLER_MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';
const SERVICE_ACCOUNTS = 'system:serviceaccounts';
const KUBE_SYSTEM_ACCOUNTS = 'system:serviceaccount:kube-system:';
const PROBES = ['/healthz', '/livez', '/readyz'];
const HOLDER_VERBS = new Set(['get', 'create', 'update', 'patch']);
const HOLDER_RESOURCES = new Set(['leases', 'leasecandidates']);

/**
 * The schemas of upstream's bootstrap configuration by precedence (apiserver apis/flowcontrol/bootstrap/default.go), plus one of this
 * project: requests for a single lease, by any user, precede lists and all other requests of ordinary users.
 */
export const FLOW_SCHEMAS: readonly FlowSchemaSpec[] = [
  { name: 'exempt', level: 'exempt', matches: ({ groups }) => groups.includes(SYSTEM_MASTERS) },
  { name: 'probes', level: 'exempt', matches: (user, attributes) => isAnybody(user) && isProbe(attributes) },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    distinguisher: 'user',
    matches: ({ name }, attributes) =>
      (name === CONTROLLER_MANAGER || name === SCHEDULER || name.startsWith(KUBE_SYSTEM_ACCOUNTS)) &&
      isLease(attributes) &&
      (attributes.verb === 'get' || attributes.verb === 'create' || attributes.verb === 'update'),
  },
  {
    name: 'system-node-high',
    level: 'node-high',
    distinguisher: 'user',
    matches: ({ groups }, attributes) => groups.includes(NODES) && (isLease(attributes) || isNode(attributes)),
  },
  { name: 'system-nodes', level: 'system', distinguisher: 'user', matches: ({ groups }) => groups.includes(NODES) },
  {
    name: 'kube-controller-manager',
    level: 'workload-high',
    distinguisher: 'namespace',
    matches: ({ name }) => name === CONTROLLER_MANAGER,
  },
  { name: 'kube-scheduler', level: 'workload-high', distinguisher: 'namespace', matches: ({ name }) => name === SCHEDULER },
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    distinguisher: 'namespace',
    matches: ({ name }) => name.startsWith(KUBE_SYSTEM_ACCOUNTS),
  },
  {
    name: 'lease-holders',
    level: 'leader-election',
    distinguisher: 'user',
    matches: ({ groups }, attributes) => isOfHolder(attributes) && groups.includes(ALL_AUTHENTICATED),
  },
  { name: 'service-accounts', level: 'workload-low', distinguisher: 'user', matches: ({ groups }) => groups.includes(SERVICE_ACCOUNTS) },
  { name: 'global-default', level: 'global-default', distinguisher: 'user', matches: isAnybody },
  { name: 'catch-all', level: 'catch-all', distinguisher: 'user', matches: () => true },
];

function isAnybody({ groups }: UserInfo): boolean {
  return groups.includes(ALL_AUTHENTICATED) || groups.includes(ALL_UNAUTHENTICATED);
}

function isProbe({ isResourceRequest, verb, path }: AuthorizationAttributes): boolean {
  return !isResourceRequest && verb === 'get' && PROBES.some((probe) => path === probe || path.startsWith(`${probe}/`));
}

function isLease({ resource, subresource, apiGroup, namespace }: AuthorizationAttributes): boolean {
  return resource === 'leases' && subresource === '' && apiGroup === 'coordination.k8s.io' && namespace !== '';
}

function isNode({ resource, subresource, apiGroup }: AuthorizationAttributes): boolean {
  return resource === 'nodes' && apiGroup === '' && (subresource === '' || subresource === 'status');
}

function isOfHolder({ verb, resource, subresource, apiGroup, namespace }: AuthorizationAttributes): boolean {
  if (!HOLDER_VERBS.has(verb) || apiGroup !== 'coordination.k8s.io') return false;
  return HOLDER_RESOURCES.has(resource) && subresource === '' && namespace !== '';
}

/** A timer later than this indicates more work than the process can do. */
const LATE_MS = 30;
const SLOWER = 0.6;
const FASTER = 0.05;
/** The minimum share: enough to keep the database busy. */
const LEAST = 0.2;

/**
 * The share of its seats that a server can use. Seats bound the number of requests that wait for the database; this class bounds what the
 * one thread has to compute. The share falls quickly while the event loop is late and recovers slowly. Requests then wait in their queues,
 * where they are served in turn, rather than in sockets, where the client with the most requests wins.
 */
export class LoopPressure {
  readonly #periodMs: number;
  #last: number | undefined;
  #share = 1;

  /** `tick` must be called once every `periodMs`, from `begin` on. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Between `LEAST` and 1. */
  get share(): number {
    return this.#share;
  }

  /** The first period begins. `now` is in milliseconds of a monotonic clock. */
  begin(now: number): void {
    this.#last = now;
  }

  tick(now: number): void {
    const lateMs = this.#last === undefined ? 0 : now - this.#last - this.#periodMs;
    this.#last = now;
    this.#share = lateMs > LATE_MS ? Math.max(LEAST, this.#share * SLOWER) : Math.min(1, this.#share + FASTER);
  }
}
