import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { servingNames } from '../../../src/server/tls/certificate-authority.js';
import { writeSecretFiles } from '../../../src/server/tls/secret-files.js';
import { createServerSecrets } from '../../../src/server/tls/server-secrets.js';
import { runCommand } from '../cli/run-command.js';
import { createLease, leaseNames, ServerRun } from './server-run.js';

/*
 * What a start does with each state of a data directory: it serves what is there, or ends with one line that says what is there and what to do.
 * In none is anything deleted or replaced that was there before and is not the server's to write again.
 */

const base = scratchDirectory();
const template = path.join(base, 'template');
const other = path.join(base, 'other');

type Change = (dir: string) => void;
/** The line that ends the start, or the names of the leases that it serves. */
type Outcome = RegExp | readonly string[];
type State = readonly [what: string, change: Change, outcome: Outcome];

const KEPT = ['kept'];

const removed =
  (name: string): Change =>
  (dir) =>
    rmSync(path.join(dir, name), { recursive: true });
const emptied =
  (name: string): Change =>
  (dir) =>
    truncateSync(path.join(dir, name));
const cut =
  (name: string): Change =>
  (dir) =>
    truncateSync(path.join(dir, name), 100);
const garbage = (name: string): Change => overwritten(name, 'nonsense\n'.repeat(64));
const overwritten =
  (name: string, text: string): Change =>
  (dir) =>
    writeFileSync(path.join(dir, name), text);
const emptyFolder =
  (name: string): Change =>
  (dir) => {
    rmSync(path.join(dir, name), { recursive: true, force: true });
    mkdirSync(path.join(dir, name), { recursive: true });
  };
const isFile =
  (name: string): Change =>
  (dir) => {
    rmSync(path.join(dir, name), { recursive: true, force: true });
    writeFileSync(path.join(dir, name), 'text\n');
  };
const linkToNothing =
  (name: string): Change =>
  (dir) => {
    rmSync(path.join(dir, name), { recursive: true, force: true });
    symlinkSync('/no/such/place', path.join(dir, name));
  };
/** As after a move to another disk. */
const linkToMoved =
  (name: string): Change =>
  (dir) => {
    renameSync(path.join(dir, name), `${dir}.moved`);
    symlinkSync(`${dir}.moved`, path.join(dir, name));
  };
const fromOther =
  (...names: readonly string[]): Change =>
  (dir) => {
    for (const name of names) {
      rmSync(path.join(dir, name), { recursive: true, force: true });
      copy(path.join(other, name), path.join(dir, name));
    }
  };
const ownedBy =
  (owner: string, name: string): Change =>
  (dir) =>
    void execFileSync('chown', ['-R', owner, path.join(dir, name)]);
const all =
  (...changes: readonly Change[]): Change =>
  (dir) =>
    changes.forEach((change) => change(dir));

function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** Directories that a test makes as root belong to root; a cluster's would not. */
const ownedByPostgres: Change = (dir) => {
  const { uid } = statSync(path.join(template, 'postgres/data'));
  execFileSync('chown', ['-R', String(uid), path.join(dir, 'postgres/data')]);
};

const isRoot = process.getuid?.() === 0;
const NOT_VALID =
  /^error: cannot start the embedded PostgreSQL: .* is not a valid data directory: .*PG_VERSION.*: nothing was deleted; restore /;
const REFUSED = /^error: cannot start the embedded PostgreSQL: .+: nothing was deleted; restore .+ from a copy, or /;
const DAMAGED = /^error: .+(: nothing was deleted; restore .+ from a copy, or .+|: restore a backup)$/;
const NO_DATABASE = /^error: a server has run in .* but its database is not in .*\/postgres: restore it from a copy, pass --database-url /;
const NO_CLUSTER = /^error: .*\/password belongs to a cluster of PostgreSQL that is not in .*\/data: nothing was deleted; restore /;
const NO_PASSWORD = /^error: .*\/password, the password of the cluster in .*, is missing or empty: nothing was deleted; restore /;
const WRONG_PASSWORD = /^error: the password in .*\/password is not that of the cluster in .*: nothing was deleted; restore /;
const CERTS_GONE = /^error: the certificates and the admin token of the server that wrote .* are not in .*\/certs: restore them, or move /;
const cannotUse = (file: string): RegExp => new RegExp(`^error: cannot use .*/certs/${file}: .+: (restore|remove|write|move) .+`);

const WHOLE: readonly State[] = [
  ['untouched', () => undefined, KEPT],
  ['absent', (dir) => rmSync(dir, { recursive: true }), []],
  ['empty', (dir) => readdirSync(dir).forEach((name) => rmSync(path.join(dir, name), { recursive: true })), []],
  ['with only lost+found', all(emptyFolder('.'), emptyFolder('lost+found')), []],
  ['a file', isFile('.'), /^error: cannot create the data directory /],
  ['a link to nothing', linkToNothing('.'), /^error: cannot create the data directory /],
  ['a link', linkToMoved('.'), KEPT],
  ['without a kubeconfig', removed('admin.kubeconfig'), KEPT],
  ['with an empty kubeconfig', emptied('admin.kubeconfig'), KEPT],
  ['with an empty lock', overwritten('lock', ''), KEPT],
  ['with a lock of garbage', overwritten('lock', 'nonsense'), KEPT],
  ['with a lock that is a link to nothing', linkToNothing('lock'), /^error: .*\/lock .*: remove it/],
  ['with a lock that is a directory', emptyFolder('lock'), /^error: .*\/lock .*: remove it/],
];

const CLUSTER: readonly State[] = [
  ['postgres missing', removed('postgres'), NO_DATABASE],
  ['postgres empty', emptyFolder('postgres'), NO_DATABASE],
  ['postgres a file', isFile('postgres'), /^error: cannot read the directory of PostgreSQL .*: ENOTDIR/],
  ['postgres a link to nothing', linkToNothing('postgres'), /^error: cannot read the directory of PostgreSQL .*: ENOENT/],
  ['postgres a link', linkToMoved('postgres'), KEPT],
  ['data missing', removed('postgres/data'), NO_CLUSTER],
  ['data empty', emptyFolder('postgres/data'), NO_CLUSTER],
  ['data a file', isFile('postgres/data'), /^error: cannot read the directory of PostgreSQL .*\/data: ENOTDIR/],
  ['data a link to nothing', linkToNothing('postgres/data'), /^error: cannot read the directory of PostgreSQL .*\/data: ENOENT/],
  ['data a link', linkToMoved('postgres/data'), KEPT],
  ['data with lost+found only', all(emptyFolder('postgres/data'), emptyFolder('postgres/data/lost+found'), ownedByPostgres), REFUSED],
  ['PG_VERSION missing', removed('postgres/data/PG_VERSION'), NOT_VALID],
  ['PG_VERSION empty', emptied('postgres/data/PG_VERSION'), NOT_VALID],
  ['PG_VERSION garbage', garbage('postgres/data/PG_VERSION'), NOT_VALID],
  ['PG_VERSION a link to nothing', linkToNothing('postgres/data/PG_VERSION'), NOT_VALID],
  [
    'of PostgreSQL 17',
    overwritten('postgres/data/PG_VERSION', '17\n'),
    /version 17, which is not compatible .*: nothing was deleted; start the version of this program that ran last here, make a backup/,
  ],
  ['pg_control missing', removed('postgres/data/global/pg_control'), REFUSED],
  ['pg_control empty', emptied('postgres/data/global/pg_control'), REFUSED],
  ['pg_control cut short', cut('postgres/data/global/pg_control'), REFUSED],
  ['pg_control garbage', garbage('postgres/data/global/pg_control'), /incompatible with server: .*: nothing was deleted; /],
  ['pg_control of another cluster', fromOther('postgres/data/global/pg_control'), REFUSED],
  ['global missing', removed('postgres/data/global'), REFUSED],
  ['pg_wal missing', removed('postgres/data/pg_wal'), REFUSED],
  ['pg_wal empty', all(emptyFolder('postgres/data/pg_wal'), ownedByPostgres), REFUSED],
  ['pg_wal a link to nothing', linkToNothing('postgres/data/pg_wal'), REFUSED],
  ['pg_xact missing', removed('postgres/data/pg_xact'), DAMAGED],
  ['base missing', removed('postgres/data/base'), DAMAGED],
  ['base empty', emptyFolder('postgres/data/base'), DAMAGED],
  ['postgresql.conf missing', removed('postgres/data/postgresql.conf'), REFUSED],
  ['postgresql.conf garbage', garbage('postgres/data/postgresql.conf'), REFUSED],
  ['pg_hba.conf missing', removed('postgres/data/pg_hba.conf'), REFUSED],
  ['pg_hba.conf garbage', garbage('postgres/data/pg_hba.conf'), REFUSED],
  ['postmaster.pid empty', overwritten('postgres/data/postmaster.pid', ''), REFUSED],
  ['postmaster.pid garbage', overwritten('postgres/data/postmaster.pid', 'nonsense'), REFUSED],
  ['password missing', removed('postgres/password'), NO_PASSWORD],
  ['password empty', emptied('postgres/password'), NO_PASSWORD],
  ['password blank', overwritten('postgres/password', ' \n'), NO_PASSWORD],
  ['password garbage', garbage('postgres/password'), WRONG_PASSWORD],
  ['password of another cluster', fromOther('postgres/password'), WRONG_PASSWORD],
  ['data of another cluster', fromOther('postgres/data'), WRONG_PASSWORD],
  ['postgres of another data directory', fromOther('postgres'), ['other']],
  ['run missing', removed('postgres/run'), KEPT],
  ['run a file', isFile('postgres/run'), /^error: cannot create the directory of PostgreSQL /],
  ['run a link to nothing', linkToNothing('postgres/run'), /^error: cannot create the directory of PostgreSQL /],
  ['log missing', removed('postgres/log'), KEPT],
  ['log a directory', emptyFolder('postgres/log'), /^error: .*\/postgres\/log/],
];

const OF_OTHERS: readonly State[] = [
  [
    'data of an unknown user',
    ownedBy('4242', 'postgres/data'),
    /^error: .*\/data belongs to the user 4242: .*: chown -R (postgres|nobody) \/.*\/data$/,
  ],
  ['data of root', ownedBy('root', 'postgres/data'), /^error: .*\/data belongs to the user 0: .*: chown -R (postgres|nobody) \/.*\/data$/],
  [
    'pg_control of root',
    ownedBy('root', 'postgres/data/global'),
    /Permission denied: nothing was changed; .*: chown -R (postgres|nobody) \/.*\/data$/,
  ],
];

const UNFINISHED: readonly State[] = [
  [
    'of a first start that was killed in initdb',
    all(emptyFolder('.'), emptyFolder('postgres/run'), emptyFolder('postgres/new-abc/base')),
    [],
  ],
  ['of one of an earlier version', all(emptyFolder('.'), emptyFolder('postgres/data'), emptyFolder('postgres/new/base')), []],
  [
    'of one that was killed between two renames',
    (dir) => {
      renameSync(path.join(dir, 'postgres/data'), path.join(dir, 'postgres/new-abc'));
      for (const name of ['certs', 'admin.kubeconfig']) rmSync(path.join(dir, name), { recursive: true });
    },
    NO_CLUSTER,
  ],
  ['of one that was killed before it had certificates', all(removed('certs'), removed('admin.kubeconfig')), KEPT],
  [
    'of one that was killed while it wrote them',
    all(removed('certs/ca.crt'), removed('certs/sa.key')),
    /^error: ca.crt missing in .*: restore .*, or move /,
  ],
];

const PEM = ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'sa.key'];
const CERTS: readonly State[] = [
  ['certs missing', removed('certs'), CERTS_GONE],
  ['certs empty', emptyFolder('certs'), CERTS_GONE],
  ['certs a file', isFile('certs'), /^error: .*\/certs/],
  ['certs a link to nothing', linkToNothing('certs'), CERTS_GONE],
  ['certs a link', linkToMoved('certs'), KEPT],
  ['certs of another authority', fromOther('certs'), KEPT],
  ...['ca.crt', 'ca.key', 'admin-token'].map((name): State => [
    `${name} missing`,
    removed(`certs/${name}`),
    new RegExp(`^error: ${name} missing in .*: restore .*, or move `),
  ]),
  ['apiserver.crt missing', removed('certs/apiserver.crt'), cannotUse('apiserver.crt')],
  ['apiserver.key missing', removed('certs/apiserver.key'), cannotUse('apiserver.key')],
  ['sa.key missing', removed('certs/sa.key'), KEPT],
  ...PEM.flatMap((name): State[] => [
    [`${name} empty`, emptied(`certs/${name}`), cannotUse(name)],
    [`${name} garbage`, garbage(`certs/${name}`), cannotUse(name)],
    [`${name} cut short`, cut(`certs/${name}`), cannotUse(name)],
    [`${name} a link to nothing`, linkToNothing(`certs/${name}`), cannotUse(name)],
  ]),
  ['admin-token empty', emptied('certs/admin-token'), cannotUse('admin-token')],
  ['admin-token garbage', garbage('certs/admin-token'), cannotUse('admin-token')],
  ['admin-token of a few characters', overwritten('certs/admin-token', 'abc\n'), cannotUse('admin-token')],
  ['ca.crt of another authority', fromOther('certs/ca.crt'), /^error: ca.key in .* is not the key of ca.crt: restore /],
  ['ca.key of another authority', fromOther('certs/ca.key'), /^error: ca.key in .* is not the key of ca.crt: restore /],
  [
    'apiserver.crt of another authority',
    fromOther('certs/apiserver.crt'),
    /^error: apiserver.key in .* is not the key of apiserver.crt: remove /,
  ],
  [
    'both apiserver files of another authority',
    fromOther('certs/apiserver.crt', 'certs/apiserver.key'),
    /was not issued by the authority in ca.crt: remove /,
  ],
  ['both ca files of another authority', fromOther('certs/ca.crt', 'certs/ca.key'), /was not issued by the authority in ca.crt: remove /],
  ['both apiserver files missing', all(removed('certs/apiserver.crt'), removed('certs/apiserver.key')), KEPT],
];

/** Two faults at once: what one alone does not allow, no other does. */
const FAULTS: readonly (readonly [string, Change])[] = [
  ['PG_VERSION missing', removed('postgres/data/PG_VERSION')],
  ['pg_control empty', emptied('postgres/data/global/pg_control')],
  ['data empty', emptyFolder('postgres/data')],
  ['password missing', (dir) => rmSync(path.join(dir, 'postgres/password'), { force: true })],
  ['certs missing', removed('certs')],
  ['kubeconfig missing', removed('admin.kubeconfig')],
];
const PAIRS: readonly State[] = FAULTS.flatMap(([one, first], at) =>
  FAULTS.slice(at + 1).map(([another, second]): State => [
    `${one}, ${another}`,
    all(first, second),
    one === 'certs missing' ? KEPT : /^error: /,
  ]),
);

/** Written again at each start, by the server or by PostgreSQL. */
const REWRITTEN = /^(admin\.kubeconfig|installation|lock|lock-place|postgres\/log|postgres\/data\/postmaster\.(pid|opts))$/;

/** What is in a directory, by name: kinds, owners and contents. */
function contentsOf(dir: string, below = ''): [name: string, what: string][] {
  const place = path.join(dir, below);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isSymbolicLink()) return [[below, `link to ${readlinkSync(place)}`]];
  if (stat.isDirectory()) return [[below, 'directory'], ...readdirSync(place).flatMap((name) => contentsOf(dir, path.join(below, name)))];
  return [[below, createHash('sha1').update(readFileSync(place)).digest('hex')]];
}

async function made(dir: string, lease: string): Promise<void> {
  const run = new ServerRun(['--secure-port=0', `--data-dir=${dir}`]);
  await createLease(await run.ready(), dir, lease);
  expect(await run.end('SIGTERM')).toBe(0);
}

beforeAll(async () => {
  await Promise.all([made(template, 'kept'), made(other, 'other')]);
}, 60_000);

let count = 0;

async function check(change: Change, outcome: Outcome): Promise<void> {
  const dir = path.join(base, `state-${count++}`);
  copy(template, dir);
  change(dir);
  const before = contentsOf(dir).filter(([name]) => !REWRITTEN.test(name));
  const run = new ServerRun(['--secure-port=0', '--log-level=error', `--data-dir=${dir}`]);
  if (outcome instanceof RegExp) {
    expect([await run.ended, run.stdout]).toEqual([1, '']);
    expect(run.stderr.trimEnd()).toMatch(outcome);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  } else {
    expect(await leaseNames(await run.ready(), dir)).toEqual(outcome);
    expect(await run.end('SIGTERM')).toBe(0);
  }
  const after = new Map(contentsOf(dir));
  // A cluster that ran has written to its files: that it has what it had, its leases say.
  const ran = outcome === WRONG_PASSWORD || outcome === DAMAGED || !(outcome instanceof RegExp);
  const compared = ran ? before.filter(([name]) => !name.startsWith('postgres/data/')) : before;
  expect(compared.filter(([name, what]) => after.get(name) !== what)).toEqual([]);
  for (const place of [dir, `${dir}.moved`]) rmSync(place, { recursive: true, force: true });
}

test('certificates made by a clock that was ahead are told, and made again for the same key at the next start', async () => {
  const dir = path.join(base, 'ahead');
  copy(template, dir);
  const certs = path.join(dir, 'certs');
  writeSecretFiles(certs, await createServerSecrets(servingNames('127.0.0.1'), Date.now() + 8 * 3_600_000));
  const kept = ['ca.key', 'admin-token'].map((name) => readFileSync(path.join(certs, name), 'utf8'));
  const told = await runCommand(['certs', '--data-dir', dir]);
  expect([told.code, told.stderr]).toEqual([2, expect.stringMatching(/^error: apiserver is not valid before .*; ca is not valid before /)]);
  const run = new ServerRun(['--secure-port=0', `--data-dir=${dir}`]);
  expect(await leaseNames(await run.ready(), dir)).toEqual(KEPT);
  expect(run.stderr).toContain('the certificate of the authority is not valid now, and was made again for the same key');
  expect(['ca.key', 'admin-token'].map((name) => readFileSync(path.join(certs, name), 'utf8'))).toEqual(kept);
  expect((await runCommand(['certs', '--data-dir', dir])).code).toBe(0);
});

describe.each([
  ['a data directory', WHOLE],
  ['the cluster', CLUSTER],
  ['the state', UNFINISHED],
  ['the certificates', CERTS],
  ['two faults', PAIRS],
  ...(isRoot ? [['of another owner', OF_OTHERS] as const] : []),
])('%s', (_, states) => {
  test.each(states)('%s', (_what, change, outcome) => check(change, outcome), 30_000);
});
