/** What the model takes for granted, in milliseconds. Measured where `measured` in growth.json says so. */
export interface Assumptions {
  /** CPU of a server process for a renewal, before it is handed to the batch and after the commit. */
  readonly requestBefore: number;
  readonly requestAfter: number;
  /** CPU of a server process to take over a change that any replica has made. */
  readonly follow: number;
  /** CPU of a server process to write one event to one watch. */
  readonly event: number;
  /** The statement of a batch without its flush: so much, and for each item so much more. */
  readonly batch: number;
  readonly item: number;
  /** What a replica reads of a batch of another one, on connections of their own: per batch and per change. */
  readonly readBatch: number;
  readonly readItem: number;
  /** Between server and database, there and back. */
  readonly roundTrip: number;
  /** The most writes in one batch. */
  readonly batchItems: number;
  /** Of the write-ahead log, between two checkpoints and per renewal and batch. */
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

/** A cluster and what serves it. */
export interface Setting {
  /** Renewals a second: one per node in ten seconds. */
  readonly rate: number;
  readonly replicas: number;
  /** From the end of the statement until it is durable, in milliseconds: flush, and the round trip to a standby where one must have it. */
  readonly commit: number;
  /** Watches of all leases, spread over the replicas. */
  readonly watchers: number;
}
