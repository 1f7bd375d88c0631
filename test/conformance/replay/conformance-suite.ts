import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { startServerProcess } from '../../support/server-process.js';
import { UPSTREAMS_GROUPS } from '../../support/upstreams-groups.js';
import { KNOWN_DIFFERENCES } from '../known-differences.js';
import { compare } from './compare.js';
import { inParallel } from './in-parallel.js';
import type { Scenario, Target } from './recording.js';
import { type StepResult, runScenario } from './run-scenario.js';

const TOKENS = ['admin-token,admin,admin,"system:masters"', 'alice-token,alice,alice,"dev"', 'bob-token,bob,bob,"ops"'];
const IDENTITIES = {
  admin: { token: 'admin-token' },
  alice: { token: 'alice-token' },
  bob: { token: 'bob-token' },
  nobody: {},
  wrong: { token: 'not-a-token' },
};

const FLAGS = ['--anonymous-auth=true', '--authorization-mode=RBAC'];

/** Scenarios use separate namespaces, so several run at once. */
const AT_ONCE = 6;

export interface ConformanceSuiteOptions {
  /** Entries of `--runtime-config`. */
  readonly versions?: readonly string[];
  /** For scenarios that change or count what others see. */
  readonly oneAtATime?: boolean;
}

/** A server under test, with its store in PostgreSQL or in memory. */
const SERVERS = [
  ['', 'postgres'],
  [' by a test server', 'memory'],
] as const;

/** Replays a recording against server processes of its own: one test per scenario and server, compared answer by answer. */
export function conformanceSuite(recording: string, { versions = [], oneAtATime = false }: ConformanceSuiteOptions = {}): void {
  const scenarios = JSON.parse(readFileSync(new URL(`../recorded/${recording}.json`, import.meta.url), 'utf8')) as Scenario[];

  describe.each(SERVERS)(`answers recorded from kube-apiserver%s: ${recording}`, (_name, store) => {
    let results: Promise<StepResult[]>[] = [];

    const served = `--runtime-config=${[UPSTREAMS_GROUPS, ...versions].join()}`;
    const server = forAllTests(() => startServerProcess({ store, tokens: TOKENS, flags: [...FLAGS, served] }));
    beforeAll(() => {
      const target: Target = { baseUrl: server.url, identities: IDENTITIES };
      results = inParallel(scenarios, oneAtATime ? 1 : AT_ONCE, (scenario) => runScenario(target, scenario));
    });
    afterAllTests(async () => {
      await Promise.allSettled(results);
    });

    test.each(scenarios.map(({ id }, index) => [id, index] as const))('%s', async (id, index) => {
      expect(differencesOf(id, (await results[index]) ?? [])).toEqual([]);
    });
  });
}

/** Unlisted differences, and listed ones that do not occur. */
function differencesOf(scenario: string, results: readonly StepResult[]): string[] {
  return results.flatMap(({ step, title, got, gotInOneSecond }, index) => {
    const at = `${scenario} #${index + 1}`;
    const asGiven = compare(step.expect ?? {}, got);
    const found = asGiven.length > 0 && compare(step.expect ?? {}, gotInOneSecond).length === 0 ? [] : asGiven;
    if (at in KNOWN_DIFFERENCES) return found.length === 0 ? [`${at} ${title}\n    is listed as different, and is equal`] : [];
    return found.length === 0 ? [] : [`${at} ${title}\n    ${found.join('\n    ')}`];
  });
}
