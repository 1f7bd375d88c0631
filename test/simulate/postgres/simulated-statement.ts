import type { Change, Contents } from './contents.js';
import type { Parameter, Row } from './wire.js';

/** What a statement finds when it runs. */
export interface Moment {
  readonly contents: Contents;
  readonly text: string;
  readonly values: readonly Parameter[];
  /** The PostgreSQL that runs it: when it was started, by its clock in milliseconds, and the file of the counter's table. */
  readonly started: number;
  readonly file: string;
  readonly nowMs: number;
  /** How long the statement has waited for its lock, in milliseconds. */
  readonly waitedMs: number;
  readonly inRecovery: boolean;
  readonly pid: number;
  /** Whether a session is at work, or undefined where there is none. */
  readonly isIdle: (pid: number, start: string) => boolean | undefined;
}

export interface Outcome {
  readonly rows: readonly Row[];
  readonly change?: Change | undefined;
  /** The channel that is notified of the commit. */
  readonly notify?: string;
  /** The session that is ended. */
  readonly terminate?: number;
}

/** A statement that the server sends, and what it does. */
export interface SimulatedStatement {
  readonly is: RegExp;
  /** Whether it locks the row of the counter until the transaction ends. */
  readonly locks?: boolean;
  readonly writes?: boolean;
  readonly run: (moment: Moment) => Outcome;
}

/** What PostgreSQL refuses. */
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

/** MARK_COLUMNS of lineage.repository.ts. */
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
