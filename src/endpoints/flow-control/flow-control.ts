import { ActivityTimer } from '../../telemetry/activity-timer.js';
import { type AuthorizationAttributes, isLongRunning } from '../../auth/authorization/authorizer.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { type Flow, FlowCounts, flowOf, FlowTicket } from './flow.js';
import { type FlowSchemaSpec, FLOW_SCHEMAS } from './flow-schemas.js';
import { LoopPressure } from './loop-pressure.js';
import { type LevelHost, PriorityLevel } from './priority-level.js';
import { EXEMPT, PRIORITY_LEVELS } from './priority-levels.js';
import type { Classification, LimitedRequest, RequestLimiter } from './request-limiter.js';
import type { Ticket } from './ticket.js';
import type { WorkEstimator } from './work-estimator.js';
import { createHash } from 'node:crypto';

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
