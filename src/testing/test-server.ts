/** How a test server starts. */
export interface TestServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Flags of the server, by their names without dashes (docs/configuration.md), such as `{ 'authorization-mode': 'RBAC' }`. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** A running lease server whose time, faults and state a test decides. */
export interface TestServer extends TestOrders {
  readonly url: string;
  readonly port: number;
  /** The authority that clients trust, as PEM. */
  readonly authority: string;
  /** The token of the admin, who may do everything and give orders. */
  readonly token: string;
  /** The text of the admin's kubeconfig. */
  readonly kubeconfig: string;
  /** Stops the server. Nothing is left behind. */
  close(): Promise<void>;
}

/** A span of time in milliseconds, or as text such as `20s` or `1h30m`. */
export type TestDuration = number | string;

/** Names a lease. */
export interface LeaseName {
  readonly name: string;
  /** Default: `default`. */
  readonly namespace?: string;
}

/** A lease as somebody else is to hold it. */
export interface TakeOver extends LeaseName {
  /** Default: `somebody-else`. */
  readonly holder?: string;
}

/** What to wait for. */
export interface AwaitedHolder extends LeaseName {
  /** '' waits until nobody holds it. Absent: until anybody does. */
  readonly holder?: string;
  /** Real time. Default 10 s, at most 60 s. */
  readonly timeout?: TestDuration;
}

export interface LeaseHolder {
  /** '' if nobody does. */
  readonly holder: string;
  /** The fencing token: the revision at which the term began. Absent if nobody holds it. */
  readonly token?: string;
  readonly resourceVersion: string;
}

/** Selects requests; what is absent matches all. */
export interface RequestMatch {
  /** Kubernetes' verbs: get, list, watch, create, update, patch, delete, deletecollection. `write` means those that change something. */
  readonly verb?: string;
  /** Such as `leases`; default: any. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: string;
  /** The beginning of the User-Agent header. */
  readonly userAgent?: string;
}

/** The statuses with which requests can be refused. */
export type FaultStatus = 401 | 403 | 404 | 409 | 410 | 429 | 500 | 503 | 504;

/** What happens to the next requests that match. Exactly one of `status`, `hang` and `cut`, or none of them with `delay`. */
export interface Fault extends RequestMatch {
  /** How many requests. Default 1. */
  readonly count?: number;
  /** Refuses them. */
  readonly status?: FaultStatus;
  /** The Retry-After header, in seconds. Default: 1 for 429, else none. */
  readonly retryAfter?: number;
  /** Never answers: the client's own timeout, or the server's, ends the request. Nothing is written. */
  readonly hang?: boolean;
  /** Cuts the connection: before anything is done, or after it was done and in place of the answer. */
  readonly cut?: 'before' | 'after';
  /** Real time to wait first, at most 60 s. */
  readonly delay?: TestDuration;
}

/** A fault that is still to happen. */
export interface PendingFault extends Fault {
  readonly id: number;
  /** How many requests it is still for. */
  readonly count: number;
}

/** A request that the server has seen. */
export interface SeenRequest {
  /** By the server's clock. */
  readonly time: string;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** `leases`, or `leases/lock`; '' for other paths. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  /** Absent as long as there is no complete answer, and if the connection was cut. */
  readonly status?: number;
  /** What an order did to it. */
  readonly fault?: string;
}

/** The server's time. */
export interface ServerTime {
  readonly now: string;
  /** How far the clock is ahead of this machine's, in milliseconds. */
  readonly ahead: number;
}

/** Everything that a test can order. Over HTTP each is a request below /testing (docs/testing.md). */
export interface TestOrders {
  /** Moves the server's clock forward, at most a day. What falls due meanwhile happens, in order, before this resolves. */
  moveClock(by: TestDuration): Promise<ServerTime>;

  /** Writes the lease as somebody else holds it from now on; creates it if it is missing. */
  takeOver(lease: TakeOver): Promise<LeaseHolder>;
  /** Frees the lease, as its holder does who stops. */
  release(lease: LeaseName): Promise<LeaseHolder>;
  deleteLease(lease: LeaseName): Promise<void>;
  /** Moves the clock until the lease has expired. */
  expire(lease: LeaseName): Promise<ServerTime>;
  /** Resolves once the lease is held as wanted. Rejects if that takes too long. */
  waitForHolder(awaited: AwaitedHolder): Promise<LeaseHolder>;

  /** Orders a fault for the next requests that match. Earlier faults come first. */
  addFault(fault: Fault): Promise<PendingFault>;
  faults(): Promise<readonly PendingFault[]>;
  clearFaults(): Promise<void>;
  /** Lets all requests wait that arrive from now on. */
  pause(): Promise<void>;
  /** Serves those that wait. */
  resume(): Promise<void>;
  /** Each write takes this much longer, in real time. 0: as fast as can be. */
  slowStore(latency: TestDuration): Promise<void>;

  /** Ends all watches. Their clients begin new ones where these ended. */
  dropWatches(): Promise<void>;
  /** Forgets all history: a watch or list from an earlier resourceVersion is answered with 410. Watches that run go on. */
  expireHistory(): Promise<void>;
  /** Asks HTTP/2 clients by GOAWAY to use new connections. */
  goaway(): Promise<void>;

  /** Remembers the state of all objects, to which `reset` returns. The first one is taken when the server has started. */
  snapshot(): Promise<void>;
  /** Returns to the last snapshot; drops faults, pause, slowness and the list of requests. Clock and resourceVersions go on. */
  reset(): Promise<void>;

  /** The requests since the start or the last reset, at most the newest 10,000. */
  requests(match?: RequestMatch): Promise<readonly SeenRequest[]>;
}
