import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { mutatedText } from './mutate-sources.js';
import { MUTATIONS } from './mutations.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs in a child process, because the simulation replaces its clocks, timers and sockets. */
function simulate(...parameters: string[]): { status: number | null; lines: string[] } {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', './test/support/register-typescript.mjs', 'test/programs/simulate.ts', ...parameters],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return { status, lines: stdout.trimEnd().split('\n') };
}

/** Takes minutes on a busy machine. */
const TIMEOUT_MS = 240_000;

describe('the simulated engine', () => {
  it(
    'holds its guarantees in histories of faults',
    () => {
      const { status, lines } = simulate('--seeds=12');
      expect(lines).toEqual([expect.stringMatching(/^12 histories, [0-9]+ commits, [0-9]+ steps in /)]);
      expect(status).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'replays a history exactly from its seed',
    () => {
      const [first, second] = [simulate('--seed=3'), simulate('--seed=3')];
      expect(first.lines.length).toBeGreaterThan(100);
      expect(second.lines.slice(0, -1)).toEqual(first.lines.slice(0, -1));
    },
    TIMEOUT_MS,
  );

  it.each(['a watch begins one change too late', 'an update does not compare the state that it replaces'])(
    'finds that %s',
    (name) => {
      const { status, lines } = simulate(`--mutation=${name}`, '--seeds=20', '--brief');
      expect(lines[0]).toMatch(/^seed [0-9]+: /);
      expect(status).toBe(2);
    },
    TIMEOUT_MS,
  );
});

describe('a mutation of the engine', () => {
  it.each(MUTATIONS.map(({ name }) => name))('still applies: %s', (name) => {
    const mutation = MUTATIONS.find((one) => one.name === name)!;
    expect(mutatedText(mutation)).toContain(mutation.replacement);
  });
});
