import { afterAll, describe, expect, it } from '@jest/globals';
import { parseResourceVersion } from '../../../src/storage/revisions.js';
import { evaluatedBy } from './evaluated-by.js';

interface Environment {
  teardown(): void;
}

type EnvironmentClass = new (config: { readonly projectConfig: object }) => Environment;

const importAny = (file: string): Promise<unknown> => import(new URL(file, import.meta.url).href);

afterAll(() => void delete process.env['SET_BY_A_TEST_FILE']);

describe('the runtime of the tests', () => {
  it('evaluates modules of tests for each file, and those of the program once', async () => {
    expect(evaluatedBy).toMatch(/\/evaluated-by\.ts\?run=\d+$/);
    const again = (await importAny('../../../src/storage/revisions.ts')) as { readonly parseResourceVersion: unknown };
    expect(again.parseResourceVersion).toBe(parseResourceVersion);
  });

  it('shows lines of the sources in stacks', () => {
    const { stack = '' } = new Error('here');
    expect(stack).toMatch(/native-runtime\.spec\.ts:23:/);
  });

  it("undoes a file's changes to the process", async () => {
    const { default: NativeEnvironment } = (await importAny('native-environment.mjs')) as { readonly default: EnvironmentClass };
    const [directory, path] = [process.cwd(), process.env['PATH']];
    const environment = new NativeEnvironment({ projectConfig: {} });
    process.env['SET_BY_A_TEST_FILE'] = 'yes';
    process.env['PATH'] = '/nowhere';
    process.chdir('/');
    environment.teardown();
    expect([process.cwd(), process.env['PATH'], process.env['SET_BY_A_TEST_FILE']]).toEqual([directory, path, undefined]);
  });
});
