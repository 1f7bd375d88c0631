import type { LatencyFigures, VictimFigures } from './innocent/victim-figures.js';

/** The cost of one attack or of one group. Memory is in MiB; figures are absent if the server's process is unknown. */
export interface AttackResult {
  /** Names joined by `+`. */
  readonly attack: string;
  readonly seconds: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly connections: number;
  /** CPU time beyond what the innocent clients alone would have used. */
  readonly cpuSeconds?: number;
  readonly cpuMicrosPerByte?: number;
  readonly memory?: { readonly before: number; readonly peak: number; readonly end: number; readonly later: number };
  readonly logBytes?: number;
  /** Watches that the server counts as open, at the end of the attack and later. */
  readonly watches?: { readonly end?: number; readonly later?: number };
  readonly baseline: LatencyFigures;
  readonly victim: VictimFigures;
  /** From the end of the attack to the last measurement. */
  readonly afterwards: VictimFigures;
  readonly leasesLost: number;
  /** Why the server ended; absent while it runs. */
  readonly death?: string;
  readonly notes: Readonly<Record<string, number>>;
  /** Requirements that the server did not meet. */
  readonly failures: readonly string[];
}
