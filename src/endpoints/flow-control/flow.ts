import { Ticket } from './ticket.js';

/** The requests of one user, or of what else a schema tells apart, in one level. It exists while it has any. */
export class Flow {
  /** Seats taken. */
  inUse = 0;
  /** Turns that it has to let pass, because its last request took more than one seat. */
  debt = 0;
  readonly waiting: FlowTicket[] = [];

  constructor(
    readonly key: string,
    /** Where it is found under its key. */
    readonly siblings: Map<string, Flow>,
  ) {}
}

/** A ticket for seats of a priority level. */
export class FlowTicket extends Ticket {
  /** Absent in the exempt level. */
  flow: Flow | undefined;
  /** While it waits, or is rejected and not told yet: until when, in milliseconds since the epoch. */
  until = 0;
}

/** The flow under a key; a new one where there is none. */
export function flowOf(flows: Map<string, Flow>, key: string): Flow {
  const known = flows.get(key);
  if (known) return known;
  const flow = new Flow(key, flows);
  flows.set(key, flow);
  return flow;
}
