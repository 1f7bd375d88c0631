import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../../test/support/for-tests.js';
import { whyNot } from '../../../test/clients/toolchain.js';
import { PROGRAM } from '../../../test/support/program-under-test.js';
import { scratchDirectory } from '../../../test/support/scratch-directory.js';
import { startServerProcess } from '../../../test/support/server-process.js';
import { helpText } from '../src/cli/help-text.js';
import { kubeconfigOf } from './support/lock-process.js';

interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const root = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/locks.md'), 'utf8');
const blocks: Block[] = [...page.matchAll(/^```(\w+) ?(\S+)?\n([^]*?)^```$/gm)].map(([, language = '', file, text = '']) => ({
  language,
  file,
  text,
}));
const ofLanguage = (language: string): Block[] => blocks.filter((block) => block.language === language);

const whyNoPsql = whyNot({ program: 'psql', version: ['--version'], atLeast: '14.0' });

const home = scratchDirectory(tmpdir());

const server = forAllTests(() => startServerProcess());
beforeAll(() => {
  mkdirSync(path.join(home, 'bin'));
  program('coordination-apiserver', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
  program('report', 'echo reported');
  program('scheduler', 'touch leads; exec sleep 600');
  program('sleep', '[ "$1" = 30 ] || exec /bin/sleep "$@"');
  symlinkSync('bin/scheduler', path.join(home, 'scheduler'));
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(path.join(home, file), text);
});

function program(name: string, script: string): void {
  writeFileSync(path.join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(home, 'bin', name), 0o755);
}

function run(command: string): { code: number | null; stdout: string; stderr: string } {
  const env = {
    PATH: `${home}/bin:${process.env['PATH'] ?? ''}`,
    HOME: home,
    KUBECONFIG: kubeconfigOf(server),
    DATABASE_URL: server.databaseUrl,
  };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: home, env, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** Runs an `elect` until it leads, and then stops it. */
function untilItLeads(line: string): string {
  return `${line} & pid=$!; until [ -e leads ] || ! kill -0 $pid; do sleep 0.05; done; rm leads; kill -TERM $pid; wait $pid; [ $? = 143 ]`;
}

const commandOf = (line: string): string => (line.includes(' elect ') ? untilItLeads(line) : line);

for (const { text } of ofLanguage('sh')) {
  const line = text.trim();
  if (line.includes('psql') && whyNoPsql !== undefined) test.skip(`skipped: ${whyNoPsql}`, () => undefined);
  else {
    test(`works as documented: ${line}`, () => {
      const { code, ...output } = run(commandOf(line));
      expect([code, output]).toEqual([0, output]);
    });
  }
}

test.each(ofLanguage('ini').flatMap(({ file, text }) => [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, line = '']) => [file, line])))(
  '%s starts what works: %s',
  (_, line = '') => {
    const { code, ...output } = run(commandOf(line.replaceAll('/usr/local/bin/', `${home}/bin/`)));
    expect([code, output]).toEqual([0, output]);
  },
);

test('the line for cron reports, and says nothing where another machine does', () => {
  const [line = ''] = ofLanguage('crontab').flatMap(({ text }) => text.split('\n').filter((text) => /^0 3 \* \* \* /.test(text)));
  const command = line.replace('0 3 * * * ', '');
  expect(run(command)).toEqual({ code: 0, stdout: 'reported\n', stderr: '' });
  const nested = `coordination-apiserver lock nightly-report -- sh -c "$COMMAND"`;
  expect(run(`export COMMAND='${command.replaceAll("'", `'\\''`)}'; ${nested}`)).toEqual({ code: 0, stdout: '', stderr: '' });
});

const analyze = whyNot({ program: 'systemd-analyze', version: ['--version'], atLeast: '250.0' });
(analyze === undefined ? test : test.skip)('systemd accepts the units', () => {
  for (const { file, text } of ofLanguage('ini')) {
    writeFileSync(path.join(home, file ?? ''), text.replaceAll('/usr/local/bin/', `${home}/bin/`));
  }
  const files = ofLanguage('ini').map(({ file }) => file);
  const { stdout, stderr } = run(`systemd-analyze verify --man=no ${files.map((file) => `./${file}`).join(' ')} 2>&1`);
  expect([stdout.split('\n').filter((line) => /nightly-report|scheduler/.test(line)), stderr]).toEqual([[], '']);
});

test('the page and the help name the same options and exit codes', () => {
  const namesIn = (text: string): string[] => [...new Set(text.match(/--[a-z][a-z-]+/g))].sort();
  const options = page.slice(page.indexOf('## Options'), page.indexOf('## Exit codes'));
  const help = helpText({ name: 'lease-lock' }, 80);
  expect(namesIn(options)).toEqual(namesIn(help));
  const codes = page.slice(page.indexOf('## Exit codes'), page.indexOf('A server that does not answer'));
  for (const [, code = ''] of help.matchAll(/^ {2}(\d{2,3})\b/gm)) expect(codes).toContain(code);
});
