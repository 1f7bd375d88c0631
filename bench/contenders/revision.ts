import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A checkout of a commit, built with the packages of its own lockfile; `remove` deletes it. */
export interface Revision {
  readonly checkout: string;
  /** The commit, shortened. */
  readonly commit: string;
  remove(): void;
}

export function buildRevision(revision: string): Revision {
  const commit = git('rev-parse', '--short=10', '--verify', `${revision}^{commit}`);
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-revision-'));
  const checkout = path.join(dir, 'checkout');
  const remove = () => {
    git('worktree', 'remove', '--force', checkout);
    rmSync(dir, { recursive: true, force: true });
  };
  git('worktree', 'add', '--quiet', '--detach', checkout, commit);
  try {
    installPackages(checkout);
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    remove();
    throw error;
  }
  return { checkout, commit, remove };
}

/** With the lockfile of this checkout, its packages are used. */
function installPackages(checkout: string): void {
  const lockfile = (dir: string) => readFileSync(path.join(dir, 'package-lock.json'), 'utf8');
  if (lockfile(checkout) === lockfile('.')) symlinkSync(realpathSync('node_modules'), path.join(checkout, 'node_modules'));
  else execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
