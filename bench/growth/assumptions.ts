/** The model's parameters, in milliseconds. They are measured if `measured` in growth.json says so. */
export interface Assumptions {
  /** CPU of a server process for a renewal, before it joins the batch and after the commit. */
  readonly requestBefore: number;
  readonly requestAfter: number;
  /** CPU of a server process to apply a change of any replica. */
  readonly follow: number;
  /** CPU of a server process to write one event to one watch. */
  readonly event: number;
  /** The statement of a batch without its flush: a fixed part, and a part per item. */
  readonly batch: number;
  readonly item: number;
  /** What a replica reads of another replica's batch, on separate connections: per batch and per change. */
  readonly readBatch: number;
  readonly readItem: number;
  /** The round trip between server and database. */
  readonly roundTrip: number;
  /** The largest number of writes in one batch. */
  readonly batchItems: number;
  /** Bytes of the write-ahead log, between two checkpoints and per renewal and batch. */
  readonly walItemBytes: number;
  readonly walBatchBytes: number;
}

export const ASSUMED: Assumptions = {
  requestBefore: 0.06,
  requestAfter: 0.04,
  follow: 0.01,
  event: 0.005,
  batch: 0.25,
  item: 0.025,
  readBatch: 0.15,
  readItem: 0.004,
  roundTrip: 0.2,
  batchItems: 1000,
  walItemBytes: 1600,
  walBatchBytes: 300,
};

/** A cluster and the servers for it. */
export interface Setting {
  /** Renewals per second: one per node in ten seconds. */
  readonly rate: number;
  readonly replicas: number;
  /** Milliseconds from the end of the statement until it is durable: the flush, plus the round trip to a synchronous standby, if any. */
  readonly commit: number;
  /** Watches of all leases, spread over the replicas. */
  readonly watchers: number;
}
