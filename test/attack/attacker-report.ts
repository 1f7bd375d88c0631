import type { AttackerOptions } from './attacker.js';

/** What one attacker's process is to do. */
export interface AttackerTask extends AttackerOptions {
  readonly name: string;
}

/** What it has done so far. */
export interface AttackerReport {
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly connections: number;
  /** Connections that could not be opened. */
  readonly refused: number;
  readonly notes: Readonly<Record<string, number>>;
  readonly isLast: boolean;
}
