import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { oneAtATime } from '../support/one-at-a-time.js';
import { clientCache } from './client-cache.js';
import { mustRun } from './run-program.js';

/** Builds a program below test/clients/go and returns the path of the binary; Go's own cache makes later calls fast. */
export function buildGoProgram(name: string): Promise<string> {
  return build(name, `./${name}`);
}

/** Builds a tool listed in test/clients/go/go.mod. */
export function buildGoTool(module: string): Promise<string> {
  return build(path.basename(module), module);
}

/** Go leaves a binary alone that is up to date, and replaces another in place: other tests may be running it. */
async function build(name: string, source: string): Promise<string> {
  const binary = path.join(clientCache('go'), name);
  return oneAtATime(binary, async () => {
    const fresh = `${binary}.new`;
    rmSync(fresh, { force: true });
    if (existsSync(binary)) linkSync(binary, fresh);
    await mustRun('go', ['build', '-o', fresh, source], { cwd: path.join(import.meta.dirname, 'go') });
    renameSync(fresh, binary);
    rmSync(fresh, { force: true }); // still there if it is the same file
    return binary;
  });
}
