/** Waits until a stream has been answered or reset, or the connection has ended. */
export interface Answered {
  readonly answered: number;
}

export type Step = Buffer | Answered;

/** What a client sends, behind preface and settings unless it is `bare`. Its streams begin at `first`. */
export interface Sequence {
  readonly name: string;
  readonly first: number;
  readonly bare: boolean;
  /** Only the fate of the connection is told: when it comes in a flood is a matter of time. */
  readonly brief: boolean;
  readonly steps: readonly Step[];
}

/** A number below `limit`, from 0. */
export type Random = (limit: number) => number;

/** A named sequence of the corpus: one thing that a client may do, or may not. */
export interface Example {
  /** The section of RFC 9113 (or 7541) that says what it means. */
  readonly section: string;
  readonly bare?: boolean;
  readonly brief?: boolean;
  /** `first` is a stream that the client may open next; a random number varies what has no meaning. */
  readonly steps: (first: number, random: Random) => readonly Step[];
  /** What this server does, as `observe` tells it. */
  readonly outcome: string;
}

export type Examples = Readonly<Record<string, Example>>;

/** A short form for the many. */
export function example(section: string, outcome: string, steps: Example['steps']): Example {
  return { section, outcome, steps };
}

/** Always the middle: what a sequence is when nothing is random. */
export const NOT_RANDOM: Random = (limit) => Math.floor(limit / 2);
