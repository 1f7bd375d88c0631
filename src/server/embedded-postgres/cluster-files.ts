import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeDirectory, readIfPresent, systemFailure } from '../../settings/given-files.js';
import { shellWord } from '../../settings/program-call.js';
import { StartError } from '../../settings/start-error.js';
import type { Account } from './process-account.js';

const WHAT = 'the directory of PostgreSQL';

/** How the names of directories begin in which a cluster is made. Earlier versions used this name alone. */
const FRESH = 'new';

/** A cluster that is being made, and its password. */
export interface FreshCluster {
  readonly dir: string;
  readonly passwordFile: string;
}

/** The capacity of sockaddr_un, without the terminating zero. */
const MAX_SOCKET_PATH = 107;
const SOCKET_NAME_BYTES = '/.s.PGSQL.5432'.length;

/**
 * The paths of an embedded cluster: `data`, `run` with the socket, `password`, `log`. As root, only `data` and `run` belong to
 * PostgreSQL's account. Files that root itself opens are in a directory owned by root, so that the account cannot replace them by links.
 */
export class ClusterFiles {
  readonly dataDir: string;
  readonly passwordFile: string;
  readonly logFile: string;
  readonly #dir: string;
  #socketDir: string;

  constructor(dir: string) {
    this.#dir = path.resolve(dir);
    this.dataDir = path.join(this.#dir, 'data');
    this.passwordFile = path.join(this.#dir, 'password');
    this.logFile = path.join(this.#dir, 'log');
    this.#socketDir = path.join(this.#dir, 'run');
  }

  get socketDir(): string {
    return this.#socketDir;
  }

  /**
   * Whether there is a cluster; PostgreSQL itself judges whether it can be used. StartError where something else than a cluster shows that
   * there was one: only where nothing does may a new one be made.
   */
  get exists(): boolean {
    if (entriesOf(this.dataDir).length > 0) return true;
    if (entriesOf(this.#dir).includes(path.basename(this.passwordFile))) {
      throw new StartError(`${this.passwordFile} belongs to a cluster of PostgreSQL that is not in ${this.dataDir}: ${this.remedy}`);
    }
    return false;
  }

  /** What to do about a cluster that cannot be used, by default because it is damaged. */
  get remedy(): string {
    return `nothing was deleted; restore ${this.#dir} from a copy, or start with another --data-dir and restore a backup there`;
  }

  /** What to do where PostgreSQL refuses for this reason to start as `account`. */
  remedyFor(reason: string, account: Account | undefined): string {
    if (/Permission denied|ownership|invalid permissions/.test(reason)) return remedyOfOwner(this.dataDir, account);
    if (!/incompatible with server/.test(reason)) return this.remedy;
    return 'nothing was deleted; start the version of this program that ran last here, make a backup, and restore it in another --data-dir';
  }

  /** StartError if the cluster is of another account than the one that PostgreSQL would run as. */
  requireOwner(account: Account | undefined): void {
    const { uid } = statSync(this.dataDir);
    if (uid === (account?.uid ?? process.getuid?.() ?? uid)) return;
    throw new StartError(`${this.dataDir} belongs to the user ${uid}: ${remedyOfOwner(this.dataDir, account)}`);
  }

  /** What first starts that were killed have left beside the cluster. */
  get leftovers(): string[] {
    return entriesOf(this.#dir)
      .filter((name) => name.startsWith(FRESH))
      .map((name) => path.join(this.#dir, name));
  }

  makeDirectories(account: Account | undefined): void {
    makeDirectory(this.#dir, { what: WHAT, mode: account ? 0o711 : 0o700 });
    if (Buffer.byteLength(this.#socketDir) + SOCKET_NAME_BYTES > MAX_SOCKET_PATH) {
      this.#socketDir = mkdtempSync(path.join(tmpdir(), 'coordination-'));
    }
    ownDirectory(this.#socketDir, account);
  }

  /** Removes what was created outside the directory. */
  removeTemporary(): void {
    if (path.dirname(this.#socketDir) !== this.#dir) rmSync(this.#socketDir, { recursive: true, force: true });
  }

  /** Creates an empty directory for a new cluster, and a new password that `account` may read, under names that no start uses again. */
  begin(account: Account | undefined): FreshCluster {
    const dir = mkdtempSync(path.join(this.#dir, `${FRESH}-`));
    const passwordFile = `${dir}.password`;
    writeFileSync(passwordFile, randomBytes(24).toString('base64url') + '\n', { mode: 0o600, flag: 'wx' });
    if (account) for (const file of [dir, passwordFile]) chownSync(file, account.uid, account.gid);
    return { dir, passwordFile };
  }

  /** Renames the complete cluster into place: what has its name is complete, or was. A rename replaces no directory that has content. */
  finish({ dir, passwordFile }: FreshCluster): void {
    try {
      renameSync(passwordFile, this.passwordFile);
      renameSync(dir, this.dataDir);
    } catch (error) {
      rmSync(this.passwordFile, { force: true });
      throw new StartError(
        `cannot name the new cluster ${this.dataDir}, which may be no link and no mount, unlike the directory above it: ${(error as Error).message}`,
        { cause: error },
      );
    }
    const fd = openSync(this.#dir, 'r');
    fsyncSync(fd);
    closeSync(fd);
  }

  /** Removes what `begin` has created. */
  discard({ dir, passwordFile }: FreshCluster): void {
    for (const file of [dir, passwordFile]) rmSync(file, { recursive: true, force: true });
  }

  readPassword(): string {
    const password = readIfPresent(this.passwordFile)?.trim() ?? '';
    if (password === '') {
      throw new StartError(`${this.passwordFile}, the password of the cluster in ${this.dataDir}, is missing or empty: ${this.remedy}`);
    }
    return password;
  }
}

function remedyOfOwner(dataDir: string, account: Account | undefined): string {
  const command = `chown -R ${account?.name ?? process.getuid?.()} ${shellWord(dataDir)}`;
  return `nothing was changed; give all of it to the user that PostgreSQL runs as: ${command}${account ? '' : ', as root'}`;
}

/** The names in a directory; none if it does not exist. A link to nothing is an error: what it leads to may be on a disk that is not mounted. */
function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !lstatSync(dir, { throwIfNoEntry: false });
    if (isMissing) return [];
    throw new StartError(`cannot read ${WHAT} ${dir}: ${systemFailure(error)}`, { cause: error });
  }
}

/** Creates a directory that only `account` (default: this process's account) may enter. */
function ownDirectory(dir: string, account: Account | undefined): void {
  makeDirectory(dir, { what: WHAT, mode: 0o700 });
  if (account) chownSync(dir, account.uid, account.gid);
  chmodSync(dir, 0o700);
}
