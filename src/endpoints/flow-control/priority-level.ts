import type { Flow, FlowTicket, TicketOwner } from './request-limiter.js';

/** Maximum fraction of a level's seats that one flow may take, so that a flow with slow requests leaves some to the others. */
const FLOW_FRACTION = 0.75;
/** Upstream's bounds on the seats of one request (apiserver util/flowcontrol/apf_controller.go, request/config.go). */
const MAX_SEATS_FRACTION = 0.15;
const MAX_SEATS = 10;
/**
 * Rejections are sent after this delay, so that a client that ignores Retry-After and repeats its request immediately can cause no more
 * than two rejections a second on each of its streams.
 */
const REJECTION_DELAY_MS = 500;
/** Maximum number of rejections sent in one turn of the event loop; thousands may be due at once. */
export const REJECTIONS_PER_TURN = 128;

/** What a level needs to know about the other levels and the time. */
export interface LevelHost {
  readonly now: () => number;
  /** Share of the seats that may be in use now: above 0, at most 1. */
  readonly share: number;
  /** Seats that a level may borrow now. */
  lendable(borrower: PriorityLevel): number;
  /** Called when seats become free that other levels may want. */
  freed(): void;
}

/**
 * The seats of a level and the requests that wait for them. Flows take turns in the order in which they began to wait: one request per
 * turn, and a flow skips one turn for each seat beyond the first. If the next request does not fit, all others wait until it does;
 * otherwise wide requests could wait forever.
 *
 * Only requests for one seat may borrow seats from other levels: they mostly wait for the database, whereas wide requests need the
 * processor, and lending seats does not add any processor time.
 */
export class PriorityLevel implements TicketOwner {
  readonly name: string;
  /** The level's own seats. */
  readonly nominal: number;
  /** Own seats that are never lent. */
  readonly kept: number;
  /** Maximum number of seats that one request takes. */
  readonly maxSeats: number;
  readonly #dropped = new DroppedRequests();
  inUse = 0;
  executing = 0;
  waiting = 0;
  readonly #spec: PriorityLevelSpec;
  readonly #host: LevelHost;
  /** Flows with waiting requests, in order of their turns. */
  readonly #ready = new Set<Flow>();
  /** Rejected tickets that are not due yet, in order of their due time. */
  readonly #rejected = new Set<FlowTicket>();
  /** Rejected tickets that are due. */
  readonly #due = new Set<FlowTicket>();
  #isSending = false;

  constructor(spec: PriorityLevelSpec, nominal: number, host: LevelHost) {
    this.name = spec.name;
    this.nominal = nominal;
    this.kept = nominal - Math.round((nominal * spec.lendable) / 100);
    this.maxSeats = maxSeatsOf(nominal, spec.queuing?.handSize ?? 1);
    this.#spec = spec;
    this.#host = host;
  }

  /** Whether no request waits, for a seat or for its rejection, so that the level needs no timer. */
  get idle(): boolean {
    return this.waiting === 0 && this.#rejected.size === 0 && this.#due.size === 0;
  }

  /** Gives the ticket its seats, queues it for at most `waitMs`, or rejects it. */
  admit(ticket: FlowTicket, flow: Flow, waitMs: number): void {
    ticket.flow = flow;
    if (this.waiting === 0 && this.#fits(ticket.seats) && this.#allows(flow, ticket.seats)) return this.#take(ticket, flow);
    const { queuing } = this.#spec;
    if (!queuing || this.waiting >= queuing.limit || flow.waiting.size >= queuing.flowLimit) {
      this.#forget(flow);
      return this.#reject(ticket);
    }
    ticket.state = 'waiting';
    ticket.counts.waiting++;
    ticket.until = this.#host.now() + waitMs;
    flow.waiting.join(ticket.place);
    this.waiting++;
    this.#ready.add(flow);
    this.dispatch();
  }

  release(ticket: FlowTicket): void {
    this.executing--;
    const { flow, seats } = ticket;
    ticket.counts.end(seats);
    if (!flow) return;
    this.inUse -= seats;
    flow.inUse -= seats;
    this.#forget(flow);
    this.#host.freed();
  }

  withdraw(ticket: FlowTicket): void {
    if (this.#rejected.delete(ticket) || this.#due.delete(ticket)) return;
    this.#unqueue(ticket);
    // The ticket may have blocked others, if its turn had come and it did not fit.
    this.dispatch();
  }

  /** Gives free seats to waiting requests. */
  dispatch(): void {
    for (let flow = this.#next(); flow; flow = this.#next()) {
      const ticket = flow.waiting.first;
      if (!ticket || !this.#fits(ticket.seats)) return;
      flow.waiting.leave(ticket.place);
      this.#take(ticket, flow);
      flow.debt = ticket.seats - 1;
      this.#passTurn(flow);
      this.#left(flow, ticket);
      ticket.decided?.(undefined);
    }
  }

  /** Rejects requests that have waited long enough and sends rejections that are due, in as many turns as needed. */
  sweep(now: number): void {
    for (const ticket of this.#expired(now)) {
      this.#unqueue(ticket);
      ticket.state = 'rejected';
      this.#due.add(ticket);
    }
    for (const ticket of this.#rejected) {
      if (ticket.until > now) break;
      this.#rejected.delete(ticket);
      this.#due.add(ticket);
    }
    if (!this.#isSending) this.#sendDue();
    this.dispatch();
  }

  #expired(now: number): FlowTicket[] {
    const expired: FlowTicket[] = [];
    for (const { waiting } of this.#ready) for (const ticket of waiting) if (ticket.until <= now) expired.push(ticket);
    return expired;
  }

  #sendDue(): void {
    let left = REJECTIONS_PER_TURN;
    for (const ticket of this.#due) {
      if (left-- === 0) break;
      this.#due.delete(ticket);
      ticket.decided?.(this.#dropped.record(this.#host.now()));
    }
    this.#isSending = this.#due.size > 0;
    if (this.#isSending) setImmediate(() => this.#sendDue());
  }

  /** The flow whose turn is next. Flows at their limit and flows in debt are skipped. */
  #next(): Flow | undefined {
    let atTheirLimit = 0;
    for (const flow of this.#ready) {
      if (atTheirLimit >= this.#ready.size) return undefined;
      if (!this.#allows(flow, flow.waiting.first?.seats ?? 0)) atTheirLimit++;
      else if (flow.debt > 0) [flow.debt, atTheirLimit] = [flow.debt - 1, 0];
      else return flow;
      this.#passTurn(flow);
    }
    return undefined;
  }

  /** Moves a flow behind all other waiting flows. */
  #passTurn(flow: Flow): void {
    if (this.#ready.delete(flow)) this.#ready.add(flow);
  }

  #take(ticket: FlowTicket, flow: Flow): void {
    ticket.state = 'executing';
    ticket.counts.begin(ticket.seats);
    flow.inUse += ticket.seats;
    this.inUse += ticket.seats;
    this.executing++;
  }

  #reject(ticket: FlowTicket): void {
    ticket.state = 'rejected';
    ticket.until = this.#host.now() + REJECTION_DELAY_MS;
    this.#rejected.add(ticket);
  }

  #fits(seats: number): boolean {
    const { share } = this.#host;
    if (this.inUse === 0 || this.inUse + seats <= this.nominal * share) return true;
    return seats === 1 && this.inUse < (this.nominal + this.#host.lendable(this)) * share;
  }

  #allows(flow: Flow, seats: number): boolean {
    const fraction = FLOW_FRACTION * this.#host.share;
    if (flow.inUse + seats <= this.nominal * fraction || flow.inUse === 0) return true;
    return seats === 1 && flow.inUse < (this.nominal + this.#host.lendable(this)) * fraction;
  }

  #unqueue(ticket: FlowTicket): void {
    const { flow, place } = ticket;
    if (!flow || !place.taken) return;
    flow.waiting.leave(place);
    this.#left(flow, ticket);
  }

  /** The ticket has left the queue of its flow. */
  #left(flow: Flow, { counts }: FlowTicket): void {
    this.waiting--;
    counts.waiting--;
    if (flow.waiting.size > 0) return;
    this.#ready.delete(flow);
    flow.debt = 0;
    this.#forget(flow);
  }

  #forget(flow: Flow): void {
    if (flow.inUse === 0 && flow.waiting.size === 0) flow.siblings.delete(flow.key);
  }
}

function maxSeatsOf(nominal: number, handSize: number): number {
  const bound = Math.min(Math.ceil(nominal * MAX_SEATS_FRACTION), Math.floor(nominal / handSize), MAX_SEATS);
  return Math.max(1, bound);
}

/** Configuration of a priority level (upstream: PriorityLevelConfiguration). */
interface PriorityLevelSpec {
  readonly name: string;
  /** The level's share of the server's seats, relative to those of the other levels. */
  readonly shares: number;
  /** Percentage of its seats that other levels may use while they are free. */
  readonly lendable: number;
  /** If absent, a request that finds no free seat is rejected. */
  readonly queuing?: Queuing;
}

interface Queuing {
  /** Maximum number of requests waiting for seats of the level. */
  readonly limit: number;
  /** Maximum number of them that belong to one flow. */
  readonly flowLimit: number;
  /** Bounds the seats of one request; upstream, the number of queues dealt to a flow. */
  readonly handSize: number;
}

const LEVEL_LIMIT = 6400;
const FLOW_LIMIT = 1600;

/** The level whose requests are never limited. */
export const EXEMPT = 'exempt';

/**
 * The levels of upstream's bootstrap configuration (apiserver apis/flowcontrol/bootstrap/default.go), in the order in which free seats are
 * offered. leader-election has more shares than upstream's 10, because leases are the purpose of this server. Queues are longer than
 * upstream's: flows never share a queue, and a waiting client sends nothing.
 */
export const PRIORITY_LEVELS: readonly PriorityLevelSpec[] = [
  { name: EXEMPT, shares: 0, lendable: 0 },
  { name: 'leader-election', shares: 100, lendable: 0, queuing: queues(4) },
  { name: 'node-high', shares: 40, lendable: 25, queuing: queues(6) },
  { name: 'system', shares: 30, lendable: 33, queuing: queues(6) },
  { name: 'workload-high', shares: 40, lendable: 50, queuing: queues(6) },
  { name: 'workload-low', shares: 100, lendable: 90, queuing: queues(6) },
  { name: 'global-default', shares: 20, lendable: 50, queuing: queues(6) },
  { name: 'catch-all', shares: 5, lendable: 0 },
];

function queues(handSize: number): Queuing {
  return { limit: LEVEL_LIMIT, flowLimit: FLOW_LIMIT, handSize };
}

/** Maximum Retry-After, in seconds. */
const MAX_RETRY_AFTER = 32;

/**
 * Retry-After of rejected requests. It is doubled while at least three requests a second are rejected, and reduced by one when fewer than
 * one a second is rejected, both measured over the last Retry-After seconds (apiserver util/flowcontrol/dropped_requests_tracker.go).
 */
export class DroppedRequests {
  #retryAfter = 1;
  /** The second in which Retry-After was last doubled. */
  #raisedAt = 0;
  #current = { second: 0, count: 0 };
  #history: { second: number; count: number }[] = [];

  /** Records a rejection and returns its Retry-After. */
  record(nowMs: number): number {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#current.second) this.#current.count++;
    else {
      this.#history = [...this.#history, this.#current].filter((past) => second - past.second <= MAX_RETRY_AFTER);
      this.#current = { second, count: 1 };
      this.#adjust(second);
    }
    return this.#retryAfter;
  }

  #adjust(second: number): void {
    let recent = 0;
    for (const past of this.#history) if (second - past.second <= this.#retryAfter) recent += past.count;
    if (second - this.#raisedAt >= this.#retryAfter && recent >= 3 * this.#retryAfter) {
      this.#retryAfter = Math.min(2 * this.#retryAfter, MAX_RETRY_AFTER);
      this.#raisedAt = second;
    } else if (recent < this.#retryAfter && this.#retryAfter > 1) this.#retryAfter--;
  }
}
