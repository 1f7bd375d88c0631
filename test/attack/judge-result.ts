import type { AttackResult } from './attack-result.js';
import type { VictimFigures } from './innocent/victim-figures.js';

export interface Bounds {
  /** 0 means no bound. */
  readonly maxP99Ms: number;
  readonly maxRssMiB: number;
  readonly memoryMiB: number;
}

/** After this time without a renewal, a leader with client-go's default renew deadline has given up. */
const RENEW_DEADLINE_MS = 10_000;

/** Describes the requirements that were not met. */
export function judge(result: Omit<AttackResult, 'failures'>, bounds: Bounds): string[] {
  const { death, leasesLost } = result;
  return [
    ...(death === undefined ? [] : [`the server ended: ${death}`]),
    ...(leasesLost > 0 ? [`the election holder lost its lease ${leasesLost} times`] : []),
    ...judgeVictim(result.victim, bounds),
    ...judgeMemory(result.memory, bounds),
  ];
}

function judgeVictim({ longestGapMs, requests, newcomers, errors }: VictimFigures, { maxP99Ms }: Bounds): string[] {
  const failures: string[] = [];
  const { p99 } = requests;
  if (longestGapMs > RENEW_DEADLINE_MS) failures.push(`no renewal for ${longestGapMs} ms`);
  if (maxP99Ms > 0 && p99 > maxP99Ms) failures.push(`p99 of the innocent client ${p99} ms is above ${maxP99Ms} ms`);
  if (requests.errors > 0) failures.push(`${requests.errors} errors of the innocent client: ${errors[0] ?? ''}`);
  if (newcomers.errors > 0) failures.push(`${newcomers.errors} of ${newcomers.count} newcomers were turned away`);
  return failures;
}

function judgeMemory(memory: AttackResult['memory'], { maxRssMiB, memoryMiB }: Bounds): string[] {
  if (!memory) return [];
  const { end, peak } = memory;
  return [
    ...(maxRssMiB > 0 && end > maxRssMiB ? [`RSS ${end} MiB is above ${maxRssMiB} MiB`] : []),
    ...(memoryMiB > 0 && peak > memoryMiB ? [`RSS was ${peak} MiB at its highest, above ${memoryMiB} MiB`] : []),
  ];
}
