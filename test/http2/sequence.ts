/** Waits until a stream has been answered or reset, or the connection has ended. */
export interface Answered {
  readonly answered: number;
}

export type Step = Buffer | Answered;

/** A client's input, after preface and settings unless it is `bare`. Its streams begin at `first`. */
export interface Sequence {
  readonly name: string;
  readonly first: number;
  readonly bare: boolean;
  /** Only the connection's outcome is reported, because its time within a flood varies. */
  readonly brief: boolean;
  readonly steps: readonly Step[];
}

/** Returns an integer from 0 to below `limit`. */
export type Random = (limit: number) => number;

/** A named sequence of the corpus: one thing that a client may or may not do. */
export interface Example {
  /** The section of RFC 9113 (or 7541) that defines the outcome. */
  readonly section: string;
  readonly bare?: boolean;
  readonly brief?: boolean;
  /** `first` is the next stream that the client may open; random numbers vary what has no effect. */
  readonly steps: (first: number, random: Random) => readonly Step[];
  /** The outcome on this server, in the format of `observe`. */
  readonly outcome: string;
}

export type Examples = Readonly<Record<string, Example>>;

/** Shorthand for most examples. */
export function example(section: string, outcome: string, steps: Example['steps']): Example {
  return { section, outcome, steps };
}

/** Always the middle: used for sequences without randomness. */
export const NOT_RANDOM: Random = (limit) => Math.floor(limit / 2);
