import { constants } from 'node:os';
import type { LockFailure } from '../lock-options.js';

/** What the program ends with when it is not the command's own exit code; numbers of sysexits.h. */
export const EXIT = {
  usage: 64,
  unreachable: 69,
  defect: 70,
  notAcquired: 75,
  lost: 76,
  refused: 77,
  configuration: 78,
} as const;

const OF_FAILURES: Readonly<Record<LockFailure, number>> = {
  'not-acquired': EXIT.notAcquired,
  lost: EXIT.lost,
  unreachable: EXIT.unreachable,
  refused: EXIT.refused,
  configuration: EXIT.configuration,
  invalid: EXIT.usage,
};

export function exitCodeOf(failure: LockFailure): number {
  return OF_FAILURES[failure];
}

export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
