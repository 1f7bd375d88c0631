import { SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { RawResponse } from '../exchange/raw-exchange.js';
import { type FlowSchemaStatistics, FlowControl } from './flow-control.js';
import {
  type LimitedRequest,
  type RequestLimiter,
  type ResourceSizes,
  type TicketOwner,
  Ticket,
  WorkEstimator,
} from './request-limiter.js';

export interface LimitsOptions {
  readonly limits: RequestLimits;
  /** Lets long lists take more seats. */
  readonly resourceSizes: ResourceSizes;
  /** Maximum duration of a request, including its time in a queue. */
  readonly requestTimeoutMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Limits {
  readonly limiter: RequestLimiter;
  readonly watches: WatchesOfUsers;
}

/** Creates the limits selected by the options, and registers their metrics. */
export function createLimits(options: LimitsOptions, metrics: MetricRegistry): Limits {
  return { limiter: createLimiter(options, metrics), watches: new WatchesOfUsers(options.limits.watchesPerUser) };
}

function createLimiter(options: LimitsOptions, metrics: MetricRegistry): RequestLimiter {
  const { limits, resourceSizes, requestTimeoutMs, now } = options;
  const { readOnly, mutating } = limits;
  if (!limits.priorityAndFairness) return new MaxInFlight({ readOnly, mutating });
  const estimator = new WorkEstimator(resourceSizes);
  const flowControl = new FlowControl({ seats: readOnly + mutating, estimator, requestTimeoutMs, now });
  sampleFlowControl(metrics, flowControl);
  return flowControl;
}

/** Exports the state of priority and fairness by level, under upstream's names (apiserver util/flowcontrol/metrics). */
function sampleFlowControl(registry: MetricRegistry, flowControl: FlowControl): void {
  const seats = 'Nominal number of seats of a priority level.';
  registry.gauge({ name: 'apiserver_flowcontrol_nominal_limit_seats', help: seats, labels: ['priority_level'] }, (gauge) => {
    for (const level of flowControl.statistics()) gauge.with(level.name).set(level.nominalSeats);
  });
  const labels = ['priority_level', 'flow_schema'];
  const value = (name: string, help: string, read: (counts: FlowSchemaStatistics['counts']) => number): void => {
    registry.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels }, (gauge) => {
      for (const schema of flowControl.schemaStatistics()) gauge.with(schema.level, schema.name).set(read(schema.counts));
    });
  };
  value('current_executing_seats', 'Seats occupied by executing requests.', ({ seats }) => seats);
  value('current_executing_requests', 'Executing requests, including those of the exempt level.', ({ executing }) => executing);
  value('current_inqueue_requests', 'Requests waiting for seats.', ({ waiting }) => waiting);
  const help = 'Requests that have begun to execute.';
  registry.counter({ name: 'apiserver_flowcontrol_dispatched_requests_total', help, labels }, (counter) => {
    for (const { level, name, counts } of flowControl.schemaStatistics()) counter.with(level, name).value = counts.dispatched;
  });
}

/** Limits on concurrent requests and watches. 0 means no limit. */
export interface RequestLimits {
  /** Fair queues by priority (`--enable-priority-and-fairness`) over the sum of the next two limits, instead of these two limits alone. */
  readonly priorityAndFairness: boolean;
  /** The value of `--max-requests-inflight`. */
  readonly readOnly: number;
  /** The value of `--max-mutating-requests-inflight`. */
  readonly mutating: number;
  /** Watches that one user may have open; members of system:masters are exempt (`--max-watches-per-user`). */
  readonly watchesPerUser: number;
}

interface MaxInFlightOptions {
  /** 0 means no limit. */
  readonly readOnly: number;
  readonly mutating: number;
}

const READ_ONLY_VERBS = new Set(['get', 'list', 'watch']);
const RETRY_AFTER_SECONDS = 1;

interface Counter extends TicketOwner {
  readonly limit: number;
  executing: number;
}

/**
 * `--enable-priority-and-fairness=false`: two plain limits (apiserver filters/maxinflight.go). Requests never wait; those of system:masters
 * are never rejected.
 */
class MaxInFlight implements RequestLimiter {
  readonly #readOnly: Counter;
  readonly #mutating: Counter;

  constructor({ readOnly, mutating }: MaxInFlightOptions) {
    this.#readOnly = counter(readOnly);
    this.#mutating = counter(mutating);
  }

  close(): void {
    // No request waits.
  }

  admit(request: LimitedRequest): Ticket | undefined {
    const { verb } = request.info;
    if (verb === 'watch') return undefined;
    const counted = READ_ONLY_VERBS.has(verb) ? this.#readOnly : this.#mutating;
    if (counted.limit === 0) return undefined;
    if (counted.executing >= counted.limit) return request.user.groups.includes(SYSTEM_MASTERS) ? undefined : rejectedBy(counted);
    counted.executing++;
    return new Ticket(counted, 1, false);
  }
}

function counter(limit: number): Counter {
  return {
    limit,
    executing: 0,
    release() {
      this.executing--;
    },
    withdraw() {
      // The ticket was never counted.
    },
  };
}

function rejectedBy(counted: Counter): Ticket {
  const ticket = new Ticket(counted, 1, false);
  ticket.state = 'rejected';
  setImmediate(() => ticket.decided?.(RETRY_AFTER_SECONDS));
  return ticket;
}

/** The properties of a watch that the limit depends on. */
export interface LimitedWatch {
  readonly user: UserInfo;
  readonly response: Pick<RawResponse, 'once'>;
}

/** Counts each user's open watches. Established watches hold no seats, so nothing else bounds their number. */
export class WatchesOfUsers {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  /** 0 means no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a watch until its response is closed; returns false if its user has reached the limit. */
  begin({ user, response }: LimitedWatch): boolean {
    if (this.#limit === 0 || user.groups.includes(SYSTEM_MASTERS)) return true;
    const { name } = user;
    const open = this.#counts.get(name) ?? 0;
    if (open >= this.#limit) return false;
    this.#counts.set(name, open + 1);
    response.once('close', () => this.#end(name));
    return true;
  }

  #end(name: string): void {
    const open = (this.#counts.get(name) ?? 0) - 1;
    if (open > 0) this.#counts.set(name, open);
    else this.#counts.delete(name);
  }
}
