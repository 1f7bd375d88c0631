import type { Fault } from './faults.js';
import { type HistoryResult, runHistory } from './run-history.js';

/** Repeats a seed with as few kinds of faults as still lead to a finding. */
export async function shrink(result: HistoryResult): Promise<{ without: Fault[]; smallest: HistoryResult }> {
  const without: Fault[] = [];
  let smallest = result;
  for (const fault of result.faults) {
    const smaller = await runHistory({ seed: result.seed, without: [...without, fault] });
    if (!smaller.finding) continue;
    without.push(fault);
    smallest = smaller;
  }
  return { without, smallest };
}
