import type { AttackerOptions } from './attacker.js';

/** The task of one attacker process. */
export interface AttackerTask extends AttackerOptions {
  readonly name: string;
}

/** The attacker's progress. */
export interface AttackerReport {
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly connections: number;
  /** Connections that could not be opened. */
  readonly refused: number;
  readonly notes: Readonly<Record<string, number>>;
  readonly isLast: boolean;
}
