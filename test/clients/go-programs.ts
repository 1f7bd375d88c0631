import path from 'node:path';
import { clientCache } from './client-cache.js';
import { mustRun } from './run-program.js';

/** Builds a program below test/clients/go and answers the binary's path; Go's own cache makes later calls quick. */
export async function buildGoProgram(name: string): Promise<string> {
  const binary = path.join(clientCache('go'), name);
  await mustRun('go', ['build', '-o', binary, `./${name}`], { cwd: path.join(import.meta.dirname, 'go') });
  return binary;
}
