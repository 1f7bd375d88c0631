import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import type { Contender } from './contender.js';
import type { Hang } from './hangs.js';
import type { Rival } from './rival.js';

/** What became of one contender in one round. */
export interface Outcome {
  readonly contender: string;
  readonly hang: string;
  /** Whether the rival got the lease. If not, its holder went on renewing it. */
  readonly taken: boolean;
  /** Jobs that it began while it led, before the rival did. */
  readonly begun: number;
  /** Jobs that it began while the rival held the lease. */
  readonly late: number;
  /** Whether it had not told its work to end when the rival had led for a while. */
  readonly untold: boolean;
}

/** Longer than any lease lasts, and than its holder may take for the last renewal. */
const PATIENCE_MS = 35_000;
/** From the rival's first moment with all leases to the end of the hang, at least: who has to be told has been told. */
const TOLD_MS = 3_000;
/** From the end of the hang until the rival gives the leases back: late answers arrive. */
const LATE_MS = 6_000;
/** From the end of one round until everybody leads again; a JVM starts slowly beside twenty others. */
const LEAD_MS = 150_000;

/** One round: everybody leads, nobody is answered, the rival takes every lease, and everything is answered again. */
export async function round(contenders: readonly Contender[], rival: Rival, hang: Hang): Promise<Outcome[]> {
  await everybodyLeads(contenders);
  const started = Date.now();
  await sleep(Math.random() * 2_500);
  await hang.begin();
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const taken = await Promise.all(contenders.map(({ recipe }) => rival.take(recipe.name, patience)));
  await sleep(TOLD_MS + Math.random() * 4_000);
  const untold = contenders.map((contender, at) => hang.awake && taken[at] !== undefined && contender.recipe.tells && contender.believes);
  await hang.end();
  await sleep(LATE_MS);
  const outcomes = contenders.map((contender, at) => {
    const takenAt = taken[at];
    const late = takenAt === undefined ? [] : contender.begun(takenAt);
    const { name } = contender.recipe;
    if (late.length > 0 || untold[at]) {
      console.error(`${name}, ${hang.name}: ${late.length} late, untold: ${untold[at]}\n${contender.output}`);
    }
    return {
      ...{ contender: name, hang: hang.name, taken: takenAt !== undefined, late: late.length, untold: untold[at] === true },
      begun: contender.begun(started, takenAt).length,
    };
  });
  await Promise.all(contenders.map(({ recipe }) => rival.release(recipe.name)));
  return outcomes;
}

async function everybodyLeads(contenders: readonly Contender[]): Promise<void> {
  for (const contender of contenders) contender.forget();
  const since = Date.now();
  const waiting = new Set(contenders);
  await eventually(
    () => {
      for (const contender of waiting) {
        contender.revive();
        if (contender.begun(since).length > 1) waiting.delete(contender);
      }
      return waiting.size === 0;
    },
    () => [...waiting].map(({ recipe, output }) => `${recipe.name} does not lead:\n${output}`).join('\n\n'),
    LEAD_MS,
  );
}

/** A folder for each contender below a folder. */
export function folderFor(below: string, name: string): string {
  const folder = path.join(below, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
