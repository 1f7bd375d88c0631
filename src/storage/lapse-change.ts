/** What a lease's term is to become, if the lease still has this revision and the database's clock agrees. */
export interface LapseChange {
  readonly namespace: string;
  readonly lease: string;
  readonly lease_revision: number;
  /** When the holder's time is over; absent: never. */
  readonly expires?: string;
  readonly lapsed: boolean;
}

/** A lapse that is to be announced. */
export interface Announcement {
  /** The same for every try. */
  readonly id: string;
  /** The term as an object, as of the lapse. */
  readonly term: string;
  readonly attempts: number;
}
