import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeWith, GO } from '../clients/toolchain.js';
import { runProgram } from '../clients/run-program.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { DATABASE, DeployPrograms, IMAGE } from './deploy-programs.js';
import { type Container, Manifests } from './manifests.js';

/** In place of the program, which other tests run: keeps its arguments, and writes what they name. */
const PROGRAM = `#!/bin/sh
printf '%s\\n' "$@" > "$RECORD"
[ -z "$FAIL" ] || exit 1
[ "$1" = restore ] || echo data > "$2"
`;

describeWith([GO], 'Backups of the chart', () => {
  const home = scratchDirectory(tmpdir());
  let containers: readonly Container[];
  const backups = (): string => path.join(home, 'backups');

  beforeAll(async () => {
    const programs = await DeployPrograms.build();
    const text = await programs.template(
      'x',
      IMAGE,
      DATABASE,
      '--set=backup.enabled=true,backup.keep=2,backup.database.url=postgresql://a@standby/b',
    );
    containers = new Manifests(text).kind('CronJob').flatMap(({ spec }) => spec.jobTemplate.spec.template.spec.containers);
    writeFileSync(path.join(home, 'coordination-apiserver'), PROGRAM);
    chmodSync(path.join(home, 'coordination-apiserver'), 0o755);
  }, 600_000);
  beforeEach(() => {
    rmSync(backups(), { recursive: true, force: true });
    mkdirSync(backups());
  });

  /** Runs the container's script with the directory in place of its volume. */
  const run = (subcommand: string, environment: Readonly<Record<string, string>> = {}) => {
    const { command = [], args = [] } = containers.find((container) => container.command?.at(-1) === subcommand)!;
    const PATH = `${home}:${process.env['PATH']}`;
    const env = { PATH, DIRECTORY: backups(), RECORD: path.join(home, 'record'), FAIL: '', FILE: '', ...environment };
    return runProgram(command[0]!, [...command.slice(1), ...args], { env });
  };
  const record = (): string[] => readFileSync(path.join(home, 'record'), 'utf8').trimEnd().split('\n');
  const put = (...files: string[]): void => files.forEach((file) => writeFileSync(path.join(backups(), file), ''));
  const OLD = ['x-coordination-apiserver-20250101T000000Z.backup.gz', 'x-coordination-apiserver-20250102T000000Z.backup.gz'];

  test('the oldest backup makes room for the new one, and other files stay', async () => {
    put(...OLD, 'x-coordination-apiserver-20250103T000000Z.backup.gz.7.partial', 'y-coordination-apiserver-20240101T000000Z.backup.gz');
    const { code, stdout } = await run('backup');
    expect([code, stdout]).toEqual([0, expect.stringContaining(OLD[0]!)]);
    const [kept, made, other] = readdirSync(backups());
    expect([kept, other]).toEqual([OLD[1], 'y-coordination-apiserver-20240101T000000Z.backup.gz']);
    expect(made).toMatch(/^x-coordination-apiserver-\d{8}T\d{6}Z\.backup\.gz$/);
    expect(readdirSync(backups())).toHaveLength(3);
    expect(record()).toEqual([
      'backup',
      path.join(backups(), made!),
      '--database-password-file=/database/password',
      '--database-url=postgresql://a@standby/b',
    ]);
  });

  test('a backup that fails removes nothing', async () => {
    put(...OLD, 'x-coordination-apiserver-20250103T000000Z.backup.gz');
    expect((await run('backup', { FAIL: '1' })).code).toBe(1);
    expect(readdirSync(backups())).toHaveLength(3);
  });

  test('the restore lists files until one is named, and uses the database of the servers', async () => {
    put(...OLD);
    const { code, stdout } = await run('restore');
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${OLD[0]}\n${OLD[1]}`)]);
    expect((await run('restore', { FILE: OLD[1]!, REPLACE: 'coordination@postgresql' })).code).toBe(0);
    expect(record()).toEqual([
      'restore',
      path.join(backups(), OLD[1]!),
      '--replace',
      '--yes=coordination@postgresql',
      '--database-password-file=/database/password',
      '--database-url=postgresql://coordination@postgresql:5432/coordination',
    ]);
  });
});
