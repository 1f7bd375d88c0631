import { readFileSync } from 'node:fs';
import type pg from 'pg';
import type { ConnectionSettings } from './connection-string.js';

/** libpq's variables for files, the parameter of a URL that overrides each, and Node's name for the content. */
const FILES = [
  { variable: 'PGSSLROOTCERT', parameter: 'sslrootcert', option: 'ca' },
  { variable: 'PGSSLCERT', parameter: 'sslcert', option: 'cert' },
  { variable: 'PGSSLKEY', parameter: 'sslkey', option: 'key' },
] as const;

/** Adds the files that the variables name and the settings do not, which pg ignores. Without TLS, none is needed. */
export function withTlsVariables(settings: ConnectionSettings, environment: NodeJS.ProcessEnv): ConnectionSettings {
  const given = new Map(settings);
  const hasTls = FILES.some(({ parameter }) => given.has(parameter)) || given.has('ssl');
  if (given.get('sslrootcert') === 'system') {
    given.delete('sslrootcert');
    if (!given.has('sslmode')) given.set('sslmode', 'verify-full');
  }
  const mode = given.get('sslmode') ?? (hasTls ? '' : environment['PGSSLMODE']);
  const added = FILES.filter(({ parameter }) => !settings.has(parameter)).flatMap(({ variable, parameter }): [string, string][] => {
    const file = fileIn(environment, variable);
    return file === undefined ? [] : [[parameter, file]];
  });
  if (added.length === 0 || (!hasTls && !usesTls(mode))) return given;
  if (!given.has('sslmode') && mode) added.push(['sslmode', mode]);
  return new Map([...given, ...added]);
}

/** pg's options for a connection that the variables alone determine; undefined if pg does the same. Reads the files. */
export function tlsOfVariables(environment: NodeJS.ProcessEnv): pg.ClientConfig['ssl'] {
  const named = FILES.flatMap(({ variable, option }) => {
    const file = fileIn(environment, variable);
    return file === undefined ? [] : [{ option, file }];
  });
  const mode = environment['PGSSLMODE'];
  if (named.length === 0 || !usesTls(mode)) return undefined;
  const contents = named.map(({ option, file }) => [option, readFileSync(file, 'utf8')] as const);
  return { ...Object.fromEntries(contents), ...(mode === 'no-verify' ? { rejectUnauthorized: false } : {}) };
}

function usesTls(mode: string | undefined): boolean {
  return mode !== undefined && mode !== '' && mode !== 'disable';
}

/** `system` means the public authorities, which Node knows without a file. */
function fileIn(environment: NodeJS.ProcessEnv, variable: string): string | undefined {
  const file = environment[variable];
  return file === undefined || file === '' || file === 'system' ? undefined : file;
}
