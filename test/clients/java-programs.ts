import path from 'node:path';
import { oneAtATime } from '../support/one-at-a-time.js';
import { mustRun } from './run-program.js';

const folder = path.join(import.meta.dirname, 'java');

/** Builds the programs below test/clients/java. */
export async function buildFabric8(): Promise<void> {
  await oneAtATime(folder, () => mustRun('mvn', ['-B', '-q', 'compile', 'dependency:copy-dependencies'], { cwd: folder }));
}

/** The arguments with which `java` runs one of them. */
export function javaProgram(name: string, ...args: string[]): string[] {
  return ['-cp', `${folder}/target/classes:${folder}/target/libraries/*`, `clients.${name}`, ...args];
}
