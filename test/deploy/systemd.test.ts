import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { runProgram } from '../clients/run-program.js';
import { describeWith, SYSTEMD } from '../clients/toolchain.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { commandSettings, filesOf } from './command-settings.js';

const root = path.resolve(import.meta.dirname, '../..');
const unit = readFileSync(path.join(root, 'deploy/systemd/coordination-apiserver.service'), 'utf8');
const PROGRAM = '/usr/local/bin/coordination-apiserver';
const CREDENTIALS = '${CREDENTIALS_DIRECTORY}';

/** Every value of a setting of the unit, in order. */
const values = (name: string): string[] => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const scratch = scratchDirectory(tmpdir());

test('the unit starts the server with known flags and with the configuration that docs/operations.md writes', () => {
  const [program, ...args] = values('ExecStart').join().split(' ');
  expect(program).toBe(PROGRAM);
  const chapter = /## With systemd\n([^]*?)\n## /.exec(readFileSync(path.join(root, 'docs/operations.md'), 'utf8'))?.[1] ?? '';
  const file = path.join(scratch, 'config.yaml');
  const [, lines = ''] = /printf '%s\\n' (.*) \\\n.*config\.yaml/.exec(chapter) ?? [];
  writeFileSync(file, [...lines.matchAll(/'([^']*)'/g)].map(([, line]) => `${line}\n`).join(''));
  const config = commandSettings({ args, environment: {}, file });
  expect(config).toMatchObject({ tlsSan: ['leases.example.org'], dataDir: '${STATE_DIRECTORY}' });
  expect(filesOf(config).every((name) => name.startsWith(`${CREDENTIALS}/`))).toBe(true);
  for (const written of values('LoadCredential').map((value) => value.split(':')[1]!)) expect(chapter).toContain(written);
});

test('the unit loads the credentials named in its command line and no others', () => {
  const loaded = values('LoadCredential').map((value) => value.split(':')[0]);
  const named = [
    ...values('ExecStart')
      .join()
      .matchAll(/\$\{CREDENTIALS_DIRECTORY\}\/([\w.-]+)/g),
  ].map(([, name]) => name);
  expect(named.sort()).toEqual(loaded.sort());
});

test('the unit names a page that the npm package brings', () => {
  const [, installed = ''] =
    /^file:\/usr\/local\/lib\/node_modules\/coordination-apiserver\/(.*)$/.exec(values('Documentation').join()) ?? [];
  expect(existsSync(path.join(root, installed))).toBe(true);
  const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] };
  expect(files.some((pattern) => path.matchesGlob(installed, pattern))).toBe(true);
});

test('the unit waits longer than the server takes to stop', () => {
  expect(Number(values('TimeoutStopSec').join())).toBeGreaterThan(25);
});

/** The first version with `security --offline`. */
describeWith([SYSTEMD], 'systemd-analyze', () => {
  test('accepts the unit and rates it as well protected', async () => {
    const file = path.join(scratch, 'coordination-apiserver.service');
    // The program is not installed on the test machine.
    writeFileSync(file, unit.replace(PROGRAM, '/bin/true'));
    expect(await runProgram('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', file])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const { code, stdout, stderr } = await runProgram('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=20',
      '--no-pager',
      file,
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Overall exposure level for coordination-apiserver\.service: [01]\.\d OK/);
  });
});
