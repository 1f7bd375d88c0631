import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeDirectory } from '../../settings/make-directory.js';
import type { Account } from './process-account.js';

const WHAT = 'the directory of PostgreSQL';

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

  /** A cluster directory without PG_VERSION is left from an interrupted start and was never used. */
  get initialised(): boolean {
    return existsSync(path.join(this.dataDir, 'PG_VERSION'));
  }

  makeDirectories(account: Account | undefined): void {
    makeDirectory(this.#dir, { what: WHAT, mode: account ? 0o711 : 0o700 });
    ownDirectory(this.dataDir, account);
    if (Buffer.byteLength(this.#socketDir) + SOCKET_NAME_BYTES > MAX_SOCKET_PATH) {
      this.#socketDir = mkdtempSync(path.join(tmpdir(), 'coordination-'));
    }
    ownDirectory(this.#socketDir, account);
  }

  /** Removes what was created outside the directory. */
  removeTemporary(): void {
    if (path.dirname(this.#socketDir) !== this.#dir) rmSync(this.#socketDir, { recursive: true, force: true });
  }

  /** Creates an empty directory for a new cluster, and a new password that `account` may read. */
  beginInitialise(account: Account | undefined): string {
    const fresh = path.join(this.#dir, 'new');
    rmSync(fresh, { recursive: true, force: true });
    ownDirectory(fresh, account);
    writeFileSync(this.passwordFile, randomBytes(24).toString('base64url') + '\n', { mode: 0o600 });
    if (account) chownSync(this.passwordFile, account.uid, account.gid);
    return fresh;
  }

  /** Renames the complete cluster into place, so that a cluster directory is either complete or absent. */
  finishInitialise(fresh: string): void {
    rmSync(this.dataDir, { recursive: true });
    renameSync(fresh, this.dataDir);
    const fd = openSync(this.#dir, 'r');
    fsyncSync(fd);
    closeSync(fd);
  }

  readPassword(): string {
    return readFileSync(this.passwordFile, 'utf8').trim();
  }
}

/** Creates a directory that only `account` (default: this process's account) may enter. */
function ownDirectory(dir: string, account: Account | undefined): void {
  makeDirectory(dir, { what: WHAT, mode: 0o700 });
  if (account) chownSync(dir, account.uid, account.gid);
  chmodSync(dir, 0o700);
}
