import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compare } from '../conformance/replay/compare.js';
import { inParallel } from '../conformance/replay/in-parallel.js';
import type { Scenario, Target } from '../conformance/replay/recording.js';
import { type StepResult, runScenario } from '../conformance/replay/run-scenario.js';
import { tokenOf } from '../differential/identities.js';

const RECORDED = path.resolve(import.meta.dirname, '../conformance/recorded');
/** Recorded on 1.31, the only release with that version. */
const OF_ANOTHER_RELEASE = ['leasecandidate-v1alpha1.json'];
/** Their scenarios change or count what others see. */
const ONE_AT_A_TIME = ['auth.json', 'discovery.json', 'leader-election.json', 'leasecandidate.json'];
const AT_ONCE = 6;

/**
 * Replays every recording on a kube-apiserver and returns a line for each answer that has changed; into `folder` the recordings are written with the
 * new answers, so that their diff is the list of changes.
 */
export async function replayRecordings(url: string, folder: string, tell: (line: string) => void): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const target: Target = { baseUrl: url, identities: identities() };
  const changes: string[] = [];
  for (const file of (await readdir(RECORDED)).filter((name) => !OF_ANOTHER_RELEASE.includes(name))) {
    const scenarios = JSON.parse(await readFile(path.join(RECORDED, file), 'utf8')) as Scenario[];
    const results = inParallel(scenarios, ONE_AT_A_TIME.includes(file) ? 1 : AT_ONCE, (scenario) => runScenario(target, scenario));
    const before = changes.length;
    for (const [index, scenario] of scenarios.entries()) changes.push(...recordAnew(scenario, (await results[index]) ?? []));
    await writeFile(path.join(folder, file), `${JSON.stringify(scenarios, null, 1)}\n`);
    tell(`${file}: ${changes.length - before} answers have changed`);
  }
  return changes;
}

/** Gives the steps that answer differently their new answers. */
function recordAnew({ id }: Scenario, results: readonly StepResult[]): string[] {
  return results.flatMap(({ step, title, got, gotInOneSecond }, index) => {
    const found = compare(step.expect ?? {}, got);
    if (found.length === 0 || compare(step.expect ?? {}, gotInOneSecond).length === 0) return [];
    step.expect = got;
    return [`${id} #${index + 1} ${title}\n    ${found.slice(0, 6).join('\n    ')}`];
  });
}

function identities(): Target['identities'] {
  const known = (name: string) => ({ token: `${name}-token` });
  return { admin: known('admin'), alice: known('alice'), bob: known('bob'), nobody: {}, wrong: { token: tokenOf('wrong') ?? '' } };
}
