import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Builds a program below test/clients/go and answers the binary's path; Go's own cache makes later calls quick. */
export function buildGoProgram(name: string): string {
  const binary = path.join(mkdtempSync(path.join(tmpdir(), 'go-client-')), name);
  execFileSync('go', ['build', '-o', binary, `./${name}`], { cwd: path.join(import.meta.dirname, 'go'), stdio: 'pipe' });
  return binary;
}
