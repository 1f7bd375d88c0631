import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith, KUBECTL } from '../../clients/toolchain.js';
import { rowsOf } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startServerProcess } from '../../support/server-process.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { UPSTREAMS_GROUPS } from '../../support/upstreams-groups.js';
import { ask } from '../../support/http-client.js';
import { failureOf, runCommand } from './run-command.js';

/*
 * Lines that programs print for copying, found in the sources. Each is run by a test, in the state in which it is printed; who adds a line adds a
 * test, and its name here. documented-commands.test.ts runs all examples of help.
 */

const root = path.resolve(import.meta.dirname, '../../..');
const scratch = scratchDirectory();
const MARKS = new RegExp(
  [
    /\$\{PROGRAM_CALL\}|programCall\(\)\} |coordination-apiserver [a-z][a-z-]+(?= [^a-z]|["'` ]| creates)/,
    /: run "|run "npm|: run [a-z]+ |psql \$|kubectl [a-z]+|node scripts\/|curl --|<CopyLine (?:.*)line=\{`/,
    /(?:asAdmin|program|withKey)\(['"`]|: grant |: revoke |timedatectl|`kill \$|RELOAD\)|--runtime-config=\$\{/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
const NOT_PRINTED = /^\s*(\*|\/\/|\/\*| {0,2}coordination-apiserver )|application_name|addHelpText|SQL_TO_RUN =|const (query|asAdmin) =/;

const LINES = 'test/e2e/cli/lines-to-copy.test.ts';
const OF_STANDBYS = 'test/e2e/cli/lines-of-standbys.test.ts';
const EXAMPLES = 'test/e2e/cli/documented-commands.test.ts';
const HERE = 'test/e2e/cli/printed-lines.test.ts';
const TAKEOVER = 'test/cluster/takeover.test.ts';
const PAGE = 'packages/dashboard/test/copied-lines.test.ts';

/** Each line by a part of it, and the test that runs it; or why none does. */
const RUN_BY: readonly (readonly [file: string, part: string, by: string])[] = [
  ['packages/dashboard/src/app/sign-in.tsx', '} token`', PAGE],
  ['packages/dashboard/src/app/sign-in.tsx', '} ui`', PAGE],
  ['packages/dashboard/src/leases-page/leases-page.tsx', 'kubectl create -f -', PAGE],
  ['packages/dashboard/src/leases-page/leases-page.tsx', 'const headers', PAGE],
  ['packages/dashboard/src/leases-page/leases-page.tsx', 'curl --insecure', PAGE],
  ['packages/dashboard/src/leases-page/leases-page.tsx', 'node scripts/example.mjs', HERE],
  ['packages/dashboard/src/refused/refused-table.tsx', '--runtime-config=', HERE],
  ['packages/dashboard/src/terms/earlier-terms.tsx', '} history ', EXAMPLES],
  ['packages/dashboard/src/terms/earlier-terms.tsx', '--runtime-config=', HERE],
  ['packages/dashboard/src/text/kubectl-lines.ts', 'kubectl ', PAGE],
  ['packages/lease-lock/src/database/lease-procedures.ts', 'migrate up creates the schema', HERE],
  ['packages/lease-lock/src/database/lease-procedures.ts', 'migrate up creates the procedures', HERE],
  ['src/apis/history/refused-request/refusal-causes.ts', 'coordination-apiserver doctor', 'test/e2e/cli/doctor-writes.test.ts'],
  ['src/cli/completion.command.ts', 'completion bash', EXAMPLES],
  ['src/cli/diagnose-controllers.ts', 'kubectl delete lease', 'test/e2e/cli/doctor-writes.test.ts'],
  ['src/cli/diagnose-controllers.ts', 'run "', 'test/e2e/cli/doctor-writes.test.ts'],
  ['src/cli/export.command.ts', 'as one List for kubectl apply', EXAMPLES],
  ['src/cli/handover/', ': run ', TAKEOVER],
  ['src/cli/kube/lease-terms.ts', '--runtime-config=', HERE],
  ['src/cli/kubeconfig.command.ts', 'coordination-apiserver ', EXAMPLES],
  ['src/cli/lease-doctor/doctor-lease.command.ts', 'kubectl patch lease', OF_STANDBYS],
  ['src/cli/migrate.command.ts', 'migrate up', 'test/e2e/cli/maintenance.test.ts'],
  ['src/cli/takeover.command.ts', ': run ', TAKEOVER],
  ['src/cli/ui/ui-server.ts', 'npm run build', 'none: what a clone lacks that was not built'],
  ['src/cli/node-version.ts', 'needs Node.js', 'none: no command'],
  ['src/endpoints/dashboard/dashboard-pages.ts', 'program-call', PAGE],
  ['src/endpoints/openapi/swagger-document.ts', 'coordination-apiserver token', PAGE],
  ['src/server/config/server-address.ts', 'run "unset', 'test/e2e/lifecycle/embedded.test.ts'],
  ['src/server/process/serve.ts', 'PROGRAM_CALL} ui', PAGE],
  ['src/server/process/serve.ts', 'kubectl get leases', HERE],
  ['src/server/tls/shared-secrets.ts', 'secrets rekey', LINES],
  ['src/server/workers/worker.ts', 'serve --workers', 'none: only the internal word of workers, typed by hand, leads here'],
  ['src/storage/database/migrations/schema-state.ts', 'migrate down', 'test/programs/upgrade-test.ts'],
  ['src/storage/database/session/database-schema.ts', 'choose one with --database-schema', 'none: no command'],
  ['src/storage/database/start/check-database.ts', 'could be run by the server: run "', LINES],
  ['src/storage/database/start/check-database.ts', 'run "', LINES],
  ['src/storage/maintenance/diagnosis/diagnose.ts', 'run "', LINES],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'timedatectl', 'none: it would set the clock of the machine'],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'synchronous_standby_names', OF_STANDBYS],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'synchronous_commit', OF_STANDBYS],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'max_connections', OF_STANDBYS],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'kill $', 'test/e2e/lifecycle/embedded.test.ts'],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'alter system set ${name} = on', OF_STANDBYS],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'asAdmin(', LINES],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'withKey(', LINES],
  ['src/storage/maintenance/diagnosis/diagnosis.ts', 'program(', LINES],
  ['src/storage/maintenance/with-existing-database.ts', 'migrate up', LINES],
  ['src/storage/maintenance/with-existing-database.ts', 'grant ', LINES],
];

function printedLines(): [file: string, line: string][] {
  const files = globSync('{src,packages/*/src}/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.spec\.tsx?$/.test(file));
  return files.flatMap((file) => {
    const lines = readFileSync(path.join(root, file), 'utf8').split('\n');
    return lines.filter((line) => MARKS.test(line) && !NOT_PRINTED.test(line)).map((line): [string, string] => [file, line.trim()]);
  });
}

test('each line that is printed for copying is run by a test, which exists', () => {
  const printed = printedLines();
  const isListed = ([file, line]: [string, string]) => RUN_BY.some(([of, part]) => file.startsWith(of) && line.includes(part));
  expect(printed.filter((each) => !isListed(each))).toEqual([]);
  const isPrinted = ([of, part]: readonly [string, string, string]) =>
    printed.some(([file, line]) => file.startsWith(of) && line.includes(part));
  expect(RUN_BY.filter((each) => !isPrinted(each))).toEqual([]);
  expect(RUN_BY.filter(([, , by]) => !by.startsWith('none: ') && !existsSync(path.join(root, by)))).toEqual([]);
});

test('the flag that history asks for makes a server tell its terms, also earlier ones', async () => {
  await using off = await startServerProcess({ flags: [`--runtime-config=${UPSTREAMS_GROUPS}`] });
  const body = { metadata: { name: 'one' }, spec: { holderIdentity: 'a' } };
  await ask(`${off.url}/apis/coordination.k8s.io/v1/namespaces/default/leases`, { method: 'POST', body });
  const history = ['history', 'one', '--kubeconfig', path.join(off.dataDir, 'admin.kubeconfig')];
  const [flag = ''] = /--runtime-config=\S+=true/.exec(await failureOf(history)) ?? [];
  await using on = await startServerProcess({ databaseUrl: off.databaseUrl, flags: [flag] });
  const again = await runCommand(['history', 'one', '--kubeconfig', path.join(on.dataDir, 'admin.kubeconfig')]);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toMatch(/^a +/m);
});

test('the lines of the first steps write the programs of each language', () => {
  const source = readFileSync(path.join(root, 'packages/dashboard/src/leases-page/leases-page.tsx'), 'utf8');
  const languages = [...(/LANGUAGES = \[(.*)\]/.exec(source)?.[1]?.matchAll(/\w+/g) ?? [])].map(([name]) => name.toLowerCase());
  const [, line = ''] = /`(node scripts\/example.mjs .*)`/.exec(source) ?? [];
  expect(languages).toHaveLength(5);
  for (const language of languages) {
    const command = line.replaceAll('${name}', language).replace('../', `${scratch}/`);
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
    const written = stdout.trim().split('\n');
    expect([command, status, stderr, written.every((file) => existsSync(file))]).toEqual([command, 0, '', true]);
  }
});

test('what a lock in a database without leases asks for makes the same lock work', async () => {
  await using database = await createEmptyDatabase();
  const lock = ['lock', 'report', '--database-url', database.url, '--', 'true'];
  const failed = await runCommand(lock);
  const [, command = '', call = ''] =
    /\(coordination-apiserver (migrate up) creates the schema; .*: (call .*\))\)/.exec(failed.stderr) ?? [];
  expect([failed.code, command]).toEqual([77, 'migrate up']);
  expect(await runCommand([...command.split(' '), '--database-url', database.url])).toMatchObject({ code: 0 });
  expect((await runCommand(lock)).stderr).toContain(`: ${call})`);
  await rowsOf(database.url, call.replace('NAMESPACE', 'default'));
  expect(await runCommand(lock)).toMatchObject({ code: 0 });
});

describeWith([KUBECTL], 'kubectl', () => {
  test('follows the leases by the lines that a server prints at its start', async () => {
    await using server = await startServerProcess();
    const body = { metadata: { name: 'followed' }, spec: { holderIdentity: 'a' } };
    await ask(`${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases`, { method: 'POST', body });
    const lines = await eventually(() => server.output().split('Try in another shell:')[1]?.trim().split(/\n +/).slice(0, 2));
    const script = lines.join('\n').replace('kubectl get', 'exec timeout --signal=INT 4 kubectl get');
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stdout).toMatch(/^default +followed +a /m);
  });
});
