import path from 'node:path';
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

async function build(name: string, source: string): Promise<string> {
  const binary = path.join(clientCache('go'), name);
  await mustRun('go', ['build', '-o', binary, source], { cwd: path.join(import.meta.dirname, 'go') });
  return binary;
}
