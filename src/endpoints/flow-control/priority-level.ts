import { DroppedRequests } from './dropped-requests.js';
import type { Flow, FlowTicket } from './flow.js';
import type { PriorityLevelSpec } from './priority-levels.js';
import type { TicketOwner } from './ticket.js';

/** No flow gets more than this of the seats that its level can have: one whose requests take long leaves some to the others. */
const FLOW_FRACTION = 0.75;
/** Upstream's bounds for the seats of one request (apiserver util/flowcontrol/apf_controller.go, request/config.go). */
const MAX_SEATS_FRACTION = 0.15;
const MAX_SEATS = 10;
/**
 * A rejection is told this late: a client that repeats its request at once, for which Retry-After means nothing, cannot make the server
 * reject more than two requests a second on each of its streams.
 */
const REJECTION_DELAY_MS = 500;

/** What a level has to know of the others, and of the time. */
export interface LevelHost {
  readonly now: () => number;
  /** What share of the seats can be used at this moment, from more than 0 to 1. */
  readonly share: number;
  /** Seats that a level may have beside its own at this moment. */
  lendable(borrower: PriorityLevel): number;
  /** Seats are free that other levels may want. */
  freed(): void;
}

/**
 * A level's seats and those who wait for them. Flows take turns, in the order in which they began to wait: one request a turn, and for
 * each seat beyond the first of a request a turn less. A request that is next and does not fit holds up all others until it does, or
 * wide ones would wait for ever.
 *
 * Seats that other levels do not need are borrowed for requests of one seat only: these mostly wait for the database, while wide ones
 * use the processor, of which lending makes no more.
 */
export class PriorityLevel implements TicketOwner {
  readonly name: string;
  /** Its own seats. */
  readonly nominal: number;
  /** Those of them that nobody else ever uses. */
  readonly kept: number;
  /** The most seats of one request. */
  readonly maxSeats: number;
  readonly dropped = new DroppedRequests();
  inUse = 0;
  executing = 0;
  waiting = 0;
  readonly #spec: PriorityLevelSpec;
  readonly #host: LevelHost;
  /** Flows with waiting requests; the first one's turn is next. */
  readonly #ready = new Set<Flow>();
  /** Not told yet. */
  readonly #rejected = new Set<FlowTicket>();

  constructor(spec: PriorityLevelSpec, nominal: number, host: LevelHost) {
    this.name = spec.name;
    this.nominal = nominal;
    this.kept = nominal - Math.round((nominal * spec.lendable) / 100);
    this.maxSeats = maxSeatsOf(nominal, spec.queuing?.handSize ?? 1);
    this.#spec = spec;
    this.#host = host;
  }

  /** Whether somebody is to be told something in time. */
  get idle(): boolean {
    return this.waiting === 0 && this.#rejected.size === 0;
  }

  /** Gives the ticket its seats, or lets it wait for them for so long, or rejects it. */
  admit(ticket: FlowTicket, flow: Flow, waitMs: number): void {
    ticket.flow = flow;
    if (this.waiting === 0 && this.#fits(ticket.seats) && this.#allows(flow, ticket.seats)) return this.#take(ticket, flow);
    const { queuing } = this.#spec;
    if (!queuing || this.waiting >= queuing.limit || flow.waiting.length >= queuing.flowLimit) {
      this.#forget(flow);
      return this.#reject(ticket, this.#host.now() + REJECTION_DELAY_MS);
    }
    ticket.state = 'waiting';
    ticket.until = this.#host.now() + waitMs;
    flow.waiting.push(ticket);
    this.waiting++;
    this.#ready.add(flow);
    this.dispatch();
  }

  release(ticket: FlowTicket): void {
    this.executing--;
    const { flow, seats } = ticket;
    if (!flow) return;
    this.inUse -= seats;
    flow.inUse -= seats;
    this.#forget(flow);
    this.#host.freed();
  }

  withdraw(ticket: FlowTicket): void {
    if (this.#rejected.delete(ticket)) return;
    this.#unqueue(ticket);
    // It may have held up others, as the next one that does not fit.
    this.dispatch();
  }

  /** Gives seats to those who wait, as long as there are any. */
  dispatch(): void {
    for (let flow = this.#next(); flow; flow = this.#next()) {
      const ticket = flow.waiting[0];
      if (!ticket || !this.#fits(ticket.seats)) return;
      flow.waiting.shift();
      this.#take(ticket, flow);
      flow.debt = ticket.seats - 1;
      this.#passTurn(flow);
      this.#left(flow);
      ticket.decided?.(undefined);
    }
  }

  /** Tells those whose time is up. */
  sweep(now: number): void {
    const expired: FlowTicket[] = [];
    for (const flow of this.#ready) expired.push(...flow.waiting.filter(({ until }) => until <= now));
    for (const ticket of expired) {
      this.#unqueue(ticket);
      this.#reject(ticket, now);
    }
    for (const ticket of this.#rejected) {
      if (ticket.until > now) continue;
      this.#rejected.delete(ticket);
      ticket.decided?.(this.dropped.record(now));
    }
    this.dispatch();
  }

  /** The flow whose turn it is; flows that have enough already, or owe turns, are passed over. */
  #next(): Flow | undefined {
    let atTheirLimit = 0;
    for (const flow of this.#ready) {
      if (atTheirLimit >= this.#ready.size) return undefined;
      if (!this.#allows(flow, flow.waiting[0]?.seats ?? 0)) atTheirLimit++;
      else if (flow.debt > 0) [flow.debt, atTheirLimit] = [flow.debt - 1, 0];
      else return flow;
      this.#passTurn(flow);
    }
    return undefined;
  }

  /** Puts a flow behind all others that wait. */
  #passTurn(flow: Flow): void {
    if (this.#ready.delete(flow)) this.#ready.add(flow);
  }

  #take(ticket: FlowTicket, flow: Flow): void {
    ticket.state = 'executing';
    flow.inUse += ticket.seats;
    this.inUse += ticket.seats;
    this.executing++;
  }

  #reject(ticket: FlowTicket, until: number): void {
    ticket.state = 'rejected';
    ticket.until = until;
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
    const { flow } = ticket;
    const at = flow ? flow.waiting.indexOf(ticket) : -1;
    if (!flow || at < 0) return;
    flow.waiting.splice(at, 1);
    this.#left(flow);
  }

  /** A ticket has left the queue of its flow. */
  #left(flow: Flow): void {
    this.waiting--;
    if (flow.waiting.length > 0) return;
    this.#ready.delete(flow);
    flow.debt = 0;
    this.#forget(flow);
  }

  #forget(flow: Flow): void {
    if (flow.inUse === 0 && flow.waiting.length === 0) flow.siblings.delete(flow.key);
  }
}

function maxSeatsOf(nominal: number, handSize: number): number {
  const bound = Math.min(Math.ceil(nominal * MAX_SEATS_FRACTION), Math.floor(nominal / handSize), MAX_SEATS);
  return Math.max(1, bound);
}
