import { readFileSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { StartError } from '../../settings/start-error.js';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** A program call under another account. */
export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** How PostgreSQL's programs are run: the account, and how it reaches its files. */
export interface Runner {
  /** Default: the server's own account. */
  readonly account?: Account;
  invoke(file: string, args: readonly string[]): Invocation;
}

/** Runs the programs under the server's own account. Not for root, which PostgreSQL refuses. */
export function ownRunner(): Runner {
  return { invoke: (file, args) => ({ file, args }) };
}

/**
 * The account for PostgreSQL when the server runs as root: the owner of an existing cluster, otherwise `postgres`, otherwise `nobody`. It
 * must be listed in /etc/passwd, since PostgreSQL looks up its name.
 */
export function unprivilegedAccount(clusterDir: string): Account {
  const accounts = readAccounts();
  const owner = statSync(clusterDir, { throwIfNoEntry: false })?.uid;
  const found =
    accounts.find((account) => account.uid === owner && account.uid !== 0) ??
    accounts.find((account) => account.name === 'postgres') ??
    accounts.find((account) => account.name === 'nobody');
  if (found === undefined || found.uid === 0) {
    throw new StartError('PostgreSQL refuses to run as root, and there is no account "postgres" or "nobody": start as another user');
  }
  return found;
}

/** StartError if initdb would not find a name for the server's own user, as for the random ones of OpenShift. */
export function requireOwnAccount(): void {
  if (process.env['NSS_WRAPPER_PASSWD'] || process.getuid === undefined) return;
  try {
    userInfo();
  } catch {
    throw new StartError(
      `the user ${process.getuid()} has no entry in /etc/passwd, and PostgreSQL's initdb needs its name: add one, preload nss_wrapper, or pass --database-url`,
    );
  }
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name, , uid, gid]) => (name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []));
}

/**
 * Runs programs as `account`, which must reach `binary` and the directory `dir`. If the checkout or the data are below a directory closed
 * to the account (a root-only 0700 one), setpriv leaves it the single capability to pass through directories:
 * docs/decisions/0010-embedded-postgres-as-root.md.
 */
export function rootRunner(account: Account, binary: string, dir: string): Runner {
  const { uid, gid } = account;
  const plain: Runner = { account, invoke: (file, args) => ({ file, args, uid, gid }) };
  if (reaches(plain, binary, dir)) return plain;
  for (const capability of ['dac_read_search', 'dac_override']) {
    const runner: Runner = {
      account,
      invoke: (file, args) => ({ file: 'setpriv', args: [...privileges(account, capability), file, ...args] }),
    };
    if (reaches(runner, binary, dir)) return runner;
  }
  throw new StartError(
    `PostgreSQL refuses to run as root, and the account "${account.name}" cannot reach ${binary} and ${dir}: ` +
      'grant access to their parent directories, or start as another user',
  );
}

/**
 * `no_setuid_fixup`, because access(2), with which PostgreSQL checks its own binaries, otherwise ignores the capabilities of a process
 * whose user is not root.
 */
function privileges(account: Account, capability: string): string[] {
  const only = `-all,+${capability}`;
  return [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${only}`,
    `--ambient-caps=${only}`,
    `--bounding-set=${only}`,
    '--securebits=+no_setuid_fixup',
    '--no-new-privs',
  ];
}

function reaches(runner: Runner, binary: string, dir: string): boolean {
  const { file, args, uid, gid } = runner.invoke('/bin/sh', ['-c', 'cd -- "$1" && exec "$2" --version', 'sh', dir, binary]);
  return spawnSync(file, [...args], { cwd: '/', uid, gid, stdio: 'ignore' }).status === 0;
}
