import type { LeaseBackend } from '../backend.js';
import type { SignalRelay } from './child/signal-relay.js';
import type { ProgramArguments } from './program-arguments.js';

export interface ProgramContext {
  readonly args: ProgramArguments;
  readonly backend: LeaseBackend;
  readonly relay: SignalRelay;
  /** What every line on stderr begins with. */
  readonly label: string;
  readonly complain: (line: string) => void;
  /** Prints a line about a command that is to end, which is told if the caller has asked for such an end, or with `--verbose`. */
  readonly tell: (line: string) => void;
  /** Prints a line that only `--verbose` shows. */
  readonly say: (line: string) => void;
  /** Tells of a request that failed while the program goes on: always if it was refused, since it will be refused again. */
  readonly onError: (error: unknown) => void;
}
