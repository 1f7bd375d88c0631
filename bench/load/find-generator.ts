import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { upstreamHome } from '../contenders/find-upstream.js';
import type { LoadGenerator } from './generator.js';
import { Leaseload } from './leaseload.js';
import { TypescriptGenerator } from './typescript-generator.js';

/**
 * The Go generator if it is named, on the PATH, or beside upstream's programs, otherwise the one in this process. A name that does not
 * exist is an error.
 */
export function findGenerator(named: string | undefined, env: NodeJS.ProcessEnv = process.env): LoadGenerator {
  if (named !== undefined) {
    accessSync(named, constants.X_OK);
    return new Leaseload(named);
  }
  const found = [...(env['PATH'] ?? '').split(path.delimiter), path.join(upstreamHome(env), 'bin')]
    .map((dir) => path.join(dir, 'leaseload'))
    .find(isExecutable);
  return found === undefined ? new TypescriptGenerator() : new Leaseload(found);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
