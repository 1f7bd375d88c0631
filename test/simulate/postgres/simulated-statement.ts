import type { Change, Contents } from './contents.js';
import type { Parameter, Row } from './wire.js';

/** A row of lease_seen. */
export interface SeenLease {
  readonly revision: number;
  readonly since: number;
  readonly last: number;
  readonly watched: number;
}

/** The context in which a statement runs. */
export interface Moment {
  readonly contents: Contents;
  /** The statement without quotes around identifiers. */
  readonly text: string;
  readonly values: readonly Parameter[];
  /** Of the PostgreSQL that runs it: its start time by its own clock in milliseconds, and the file of the counter's table. */
  readonly started: number;
  readonly file: string;
  readonly nowMs: number;
  /** By the clock that steps, which decides when leases in SQL are over, but not from where lineages go on (docs/guarantees.md). */
  readonly wallMs: number;
  /** The unlogged table lease_seen. */
  readonly seen: Map<string, SeenLease>;
  /** How long the statement waited for its lock, in milliseconds. */
  readonly waitedMs: number;
  readonly inRecovery: boolean;
  readonly pid: number;
  /** Whether a session is idle; undefined if it does not exist. */
  readonly isIdle: (pid: number, start: string) => boolean | undefined;
  /** How many sessions listen. */
  readonly listeners: () => number;
}

export interface Outcome {
  readonly rows: readonly Row[];
  readonly change?: Change | undefined;
  /** Whether the commit waits for no disk, and the answer does afterwards, or only that, where nothing changes: with all that it rests on. */
  readonly flushes?: boolean;
  /** The channel notified of the commit. */
  readonly notify?: string;
  /** The session to terminate. */
  readonly terminate?: number;
}

/** A statement sent by the server, and its effect. */
export interface SimulatedStatement {
  readonly is: RegExp;
  /** Whether it locks the counter's row until the transaction ends. */
  readonly locks?: boolean;
  readonly writes?: boolean;
  readonly run: (moment: Moment) => Outcome;
}

/** An error returned by PostgreSQL. */
export class SqlError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function atHome({ contents: { counter }, started, file, text }: Moment): boolean {
  if (!text.includes('pg_postmaster_start_time()')) return true;
  return counter.serverStarted === started && counter.counterFile === file;
}

/** The columns of lineage-mark.ts. */
export function markOf(moment: Moment): { newest: number; lineage: number; at_home: boolean } {
  const { value, lineage } = moment.contents.counter;
  return { newest: value, lineage, at_home: atHome(moment) };
}

export function numberOf(value: Parameter | undefined): number {
  return Number(value);
}

export function numbersOf(value: Parameter | undefined): (number | null)[] {
  return value as (number | null)[];
}

export function textsOf(value: Parameter | undefined): (string | null)[] {
  return value as (string | null)[];
}
