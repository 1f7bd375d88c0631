import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { describeWith, GO } from '../clients/toolchain.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { DeployPrograms } from './deploy-programs.js';

const root = path.resolve(import.meta.dirname, '../..');
const files = globSync('.github/workflows/*.yml', { cwd: root }).map((file) => path.join(root, file));

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly permissions: object; readonly steps?: readonly { readonly uses?: string }[] }>>;
}

test.each(files)('%s pins its actions to commits, and gives each job only the rights that it needs', (file) => {
  const { permissions, jobs } = parse(readFileSync(file, 'utf8')) as Workflow;
  expect(permissions).toEqual({});
  for (const { permissions: own, steps = [] } of Object.values(jobs)) {
    expect(own).toBeDefined();
    for (const { uses = `local@${'0'.repeat(40)}` } of steps) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  }
});

describeWith([GO], 'actionlint', () => {
  const scratch = scratchDirectory();
  let programs: DeployPrograms;
  beforeAll(async () => {
    programs = await DeployPrograms.build();
  }, 600_000);

  const lint = (...workflows: string[]) => programs.run('actionlint', ['-no-color', ...workflows]);

  test('has no findings in the workflows', async () => {
    expect(files.length).toBeGreaterThanOrEqual(2);
    expect(await lint(...files)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('finds a job that needs one that does not exist', async () => {
    const file = path.join(scratch, 'workflow.yml');
    writeFileSync(file, 'on: push\njobs: { a: { needs: b, runs-on: ubuntu-24.04, steps: [{ run: "true" }] } }\n');
    const { code, stdout } = await lint(file);
    expect([code, stdout]).toEqual([1, expect.stringContaining('"a" needs job "b"')]);
  });
});
