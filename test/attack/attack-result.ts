import type { LatencyFigures, VictimFigures } from './innocent/victim-figures.js';

/** What one attack, or one group of them, has cost. Memory in MiB; figures of a server whose process is unknown are absent. */
export interface AttackResult {
  /** Names, joined by +. */
  readonly attack: string;
  readonly seconds: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly connections: number;
  /** Beyond what the innocents alone cost in the same time. */
  readonly cpuSeconds?: number;
  readonly cpuMicrosPerByte?: number;
  readonly memory?: { readonly before: number; readonly peak: number; readonly end: number; readonly later: number };
  readonly logBytes?: number;
  /** Watches that the server counts as open, at the end and later. */
  readonly watches?: { readonly end?: number; readonly later?: number };
  readonly baseline: LatencyFigures;
  readonly victim: VictimFigures;
  /** From the end of the attack to the last look. */
  readonly afterwards: VictimFigures;
  readonly leasesLost: number;
  /** Why the server ended; absent while it lives. */
  readonly death?: string;
  readonly notes: Readonly<Record<string, number>>;
  /** What was asked of the server and did not hold. */
  readonly failures: readonly string[];
}
