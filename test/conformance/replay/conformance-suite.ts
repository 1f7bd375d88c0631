import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServerProcess } from '../../support/server-process.js';
import { startServerProcess } from '../../support/server-process.js';
import { KNOWN_DIFFERENCES } from '../known-differences.js';
import { compare } from './compare.js';
import type { Scenario, Target } from './recording.js';
import { runScenario } from './run-scenario.js';

const TOKENS = ['admin-token,admin,admin,"system:masters"', 'alice-token,alice,alice,"dev"', 'bob-token,bob,bob,"ops"'];

/** Replays a recording against a server process of its own: one test a scenario, equal answer by answer. */
export function conformanceSuite(recording: string, flags: readonly string[] = []): void {
  const scenarios = JSON.parse(readFileSync(new URL(`../recorded/${recording}.json`, import.meta.url), 'utf8')) as Scenario[];

  describe(`answers recorded from kube-apiserver: ${recording}`, () => {
    let server: ServerProcess;
    let target: Target;

    beforeAll(async () => {
      server = await startServerProcess({ tokens: TOKENS, flags });
      target = {
        baseUrl: server.url,
        identities: {
          admin: { token: 'admin-token' },
          alice: { token: 'alice-token' },
          bob: { token: 'bob-token' },
          nobody: {},
          wrong: { token: 'not-a-token' },
        },
      };
    });
    afterAll(() => server.stop());

    test.each(scenarios.map((scenario) => [scenario.id, scenario] as const))('%s', async (id, scenario) => {
      const results = await runScenario(target, scenario);
      const different = results.flatMap(({ step, title, got }, index) => {
        const at = `${id} #${index + 1}`;
        const found = at in KNOWN_DIFFERENCES ? [] : compare(step.expect ?? {}, got);
        return found.length === 0 ? [] : [`${at} ${title}\n    ${found.join('\n    ')}`];
      });
      expect(different).toEqual([]);
    });
  });
}
