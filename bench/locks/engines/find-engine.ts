import { existsSync } from 'node:fs';
import path from 'node:path';
import { MissingEngineError } from '../lock-engine.js';

/** The first of these files that exists, else the program of this name in the PATH. */
export function findEngine(program: string, howToGet: string, given: readonly (string | undefined)[]): string {
  const inPath = (process.env['PATH'] ?? '').split(path.delimiter).map((dir) => path.join(dir, program));
  const found = [...given.filter((file) => file !== undefined && file !== ''), ...inPath].find((file) => existsSync(file ?? ''));
  if (found !== undefined) return found;
  throw new MissingEngineError(`${program} is not installed: ${howToGet}`);
}
