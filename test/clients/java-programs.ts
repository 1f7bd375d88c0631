import path from 'node:path';
import { oneAtATime } from '../support/one-at-a-time.js';
import { mustRun } from './run-program.js';

const folder = path.join(import.meta.dirname, 'java');
const NEWEST = '7.9.0';
/** The last releases of fabric8's majors that are in use. */
export const FABRIC8_RELEASES = ['5.12.4', '6.14.0', NEWEST];

/** Builds the programs below test/clients/java with a release of fabric8. */
export async function buildFabric8(release = NEWEST): Promise<void> {
  const sources = release.startsWith('5.') ? 5 : 6;
  const goals = ['compile', 'dependency:copy-dependencies', `-Dfabric8.version=${release}`, `-Dfabric8.sources=${sources}`];
  await oneAtATime(folder, () => mustRun('mvn', ['-B', '-q', ...goals], { cwd: folder }));
}

/** The arguments with which `java` runs one of them. */
export function javaProgram(name: string, args: readonly string[] = [], release = NEWEST): string[] {
  const built = path.join(folder, 'target', release);
  return ['-cp', `${built}/classes:${built}/libraries/*`, `clients.${name}`, ...args];
}
