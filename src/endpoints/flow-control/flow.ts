import { ArrivalOrder, Place } from '../connections/arrival-order.js';
import { Ticket } from './ticket.js';

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
