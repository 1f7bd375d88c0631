import type { UserInfo } from '../../registry/resource/request-context.js';
import { ArrivalOrder, Place } from '../connections/open-connection.js';
import type { Query } from '../request-info/query.js';
import type { RequestInfo } from '../request-info/request-info.js';

/** Schema and level applied to a request, for the headers of its response. */
export interface Classification {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

/** The properties of a request that the limits depend on. */
export interface LimitedRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly query: Query;
  /** With its time limit in milliseconds; absent for a long-running request. */
  readonly admission: { readonly limitMs?: number | undefined };
  /** Set by limiters that classify. */
  classification?: Classification;
}

/** Decides how many requests execute concurrently, and which wait. */
export interface RequestLimiter {
  /**
   * Returns a ticket that executes, or one that waits (or is rejected but not notified yet) and calls `decided` later. Undefined means that
   * the request is not limited.
   */
  admit(request: LimitedRequest): Ticket | undefined;
  close(): void;
}

/** `waiting`: not decided yet; `executing`: has its seats; `rejected`: never had any; `done`: has returned its seats or left the queue. */
export type TicketState = 'waiting' | 'executing' | 'rejected' | 'done';

/** The issuer of a ticket, to which the ticket returns. */
export interface TicketOwner {
  /** The seats of an executing ticket are free again. */
  release(ticket: Ticket): void;
  /** The client of a waiting or rejected ticket has gone. */
  withdraw(ticket: Ticket): void;
}

/**
 * A request's passage through the limits. Its seats stand for work, so they are held until the complete response has been handed to the
 * connection (or is no longer wanted) and all work on the request has ended, whichever is later. A client that resets its stream does not
 * end the work it has caused, and a client that does not read its response holds no seat: limits of streams, bytes and time bound what
 * waits to be sent. The seats of a watch are released once it is initialised, which is when its handler ends.
 */
export class Ticket {
  state: TicketState = 'executing';
  /** Called once for a ticket that has waited: with undefined if it may proceed, else with the number of seconds after which to retry. */
  decided: ((retryAfter: number | undefined) => void) | undefined;
  #closed = false;
  /** Pieces of work in progress: a handler, the compression of its response. */
  #work = 0;

  constructor(
    readonly owner: TicketOwner,
    readonly seats: number,
    readonly isWatch: boolean,
  ) {}

  /** A piece of work on the request begins; each call is paired with one of `handled`. */
  handle(): void {
    this.#work++;
  }

  /** A piece of work has ended. */
  handled(): void {
    this.#work--;
    if (this.#work === 0 && (this.isWatch || this.#closed)) this.#release();
  }

  /** The work on the request only waits from here on, for what others do, and needs no seat any more. */
  wait(): void {
    this.#release();
  }

  /** The complete response has been handed to the connection, or is no longer wanted. May be called repeatedly. */
  close(): void {
    this.#closed = true;
    if (this.state === 'executing' && this.#work === 0) this.#release();
    else if (this.state === 'waiting' || this.state === 'rejected') {
      this.state = 'done';
      this.owner.withdraw(this);
    }
  }

  #release(): void {
    if (this.state !== 'executing') return;
    this.state = 'done';
    this.owner.release(this);
  }
}

/** The requests within a level that share a user, or whatever else their schema distinguishes by. A flow exists while it has requests. */
export class Flow {
  /** Seats in use. */
  inUse = 0;
  /** Turns that the flow must skip, because its last request took more than one seat. */
  debt = 0;
  readonly waiting = new ArrivalOrder<FlowTicket>();

  constructor(
    readonly key: string,
    /** The map that holds the flow under its key. */
    readonly siblings: Map<string, Flow>,
  ) {}
}

/** The requests of a flow schema, for metrics. */
export class FlowCounts {
  waiting = 0;
  executing = 0;
  /** Seats in use. */
  seats = 0;
  /** Requests that have begun to execute, ever. */
  dispatched = 0;

  begin(seats: number): void {
    this.executing++;
    this.dispatched++;
    this.seats += seats;
  }

  end(seats: number): void {
    this.executing--;
    this.seats -= seats;
  }
}

/** A ticket for seats of a priority level. */
export class FlowTicket extends Ticket {
  /** Those of the request's flow schema. */
  counts = new FlowCounts();
  /** Absent in the exempt level. */
  flow: Flow | undefined;
  /** Deadline of a waiting ticket, or the time at which a rejection is sent, in milliseconds since the epoch. */
  until = 0;
  #place: Place<FlowTicket> | undefined;

  /** The ticket's place in its flow's queue. Created on first use, because most tickets never wait. */
  get place(): Place<FlowTicket> {
    return (this.#place ??= new Place<FlowTicket>(this));
  }
}

/** Returns the flow under a key, creating it if necessary. */
export function flowOf(flows: Map<string, Flow>, key: string): Flow {
  const known = flows.get(key);
  if (known) return known;
  const flow = new Flow(key, flows);
  flows.set(key, flow);
  return flow;
}

/** The size of a resource's collection. */
interface ResourceSize {
  readonly objects: number;
  readonly bytes: number;
}

/** Looks up a resource by its name with group (`leases.coordination.k8s.io`); returns undefined for one that is not stored. */
export type ResourceSizes = (groupResource: string) => ResourceSize | undefined;

/**
 * Bytes of a list that count as one seat, and the largest list size considered (apiserver util/flowcontrol/request/list_work_estimator.go).
 */
const BYTES_PER_SEAT = 100_000;

/**
 * Estimates the seats of a request: more for a list the more there is to encode, one for all others. The cost of watchers of a written
 * object is not counted, because events are encoded once for all of them.
 */
export class WorkEstimator {
  readonly #sizes: ResourceSizes;

  constructor(sizes: ResourceSizes) {
    this.#sizes = sizes;
  }

  seats(request: LimitedRequest, maximum: number): number {
    const { verb, name, apiGroup, resource } = request.info;
    if ((verb !== 'list' && verb !== 'watch') || name !== '') return 1;
    if (verb === 'watch' && !wantsInitialEvents(request)) return 1;
    const size = this.#sizes(apiGroup === '' ? resource : `${resource}.${apiGroup}`);
    if (!size || size.objects === 0) return 1;
    const fraction = Math.min(1, limitOf(request) / size.objects);
    return Math.min(Math.max(1, Math.ceil((size.bytes * fraction) / BYTES_PER_SEAT)), maximum);
  }
}

/** A watch from the beginning first sends all existing objects, whether it asks for them or not. */
function wantsInitialEvents({ query }: LimitedRequest): boolean {
  const version = query.first('resourceVersion') ?? '';
  return query.first('sendInitialEvents') === 'true' || version === '' || version === '0';
}

function limitOf({ query }: LimitedRequest): number {
  const limit = Number(query.first('limit') ?? 0);
  return limit > 0 ? limit : Infinity;
}
