import path from 'node:path';
import type { Launch } from './kinds.js';

export interface Election {
  readonly server: string;
  readonly token: string;
  readonly 'ca-file': string;
  /** Where the recipe's table is. */
  readonly database: string;
  /** The lease's. */
  readonly name: string;
  /** In milliseconds; three seconds and what goes with them by default. */
  readonly 'lease-duration'?: number;
  readonly 'renew-deadline'?: number;
  readonly 'retry-period'?: number;
  /** Of candidates that hand over, together with a drain. */
  readonly 'max-term'?: number;
  readonly priority?: number;
}

const LOADER = path.resolve(import.meta.dirname, '../../support/register-typescript.mjs');

/** How candidates of elect.ts are started. */
export function electProgram(election: Election): Launch {
  const options = Object.entries(election).map(([name, value]) => `--${name}=${value}`);
  const program = [process.execPath, '--import', LOADER, path.join(import.meta.dirname, 'elect.ts'), ...options] as const;
  return (identity) => [...program, `--identity=${identity}`];
}
