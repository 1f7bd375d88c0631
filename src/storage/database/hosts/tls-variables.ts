import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** libpq's variables for files, the parameter of a URL that overrides each, and Node's name for the content. */
const FILES = [
  { variable: 'PGSSLROOTCERT', parameter: 'sslrootcert', option: 'ca' },
  { variable: 'PGSSLCERT', parameter: 'sslcert', option: 'cert' },
  { variable: 'PGSSLKEY', parameter: 'sslkey', option: 'key' },
] as const;

/** A database URL with the files that the variables name and the URL does not, which pg itself ignores. Without TLS, none is needed. */
export function withTlsVariables(url: string, environment: NodeJS.ProcessEnv): string {
  const given = new URLSearchParams(url.split('?')[1]);
  const hasTls = FILES.some(({ parameter }) => given.has(parameter)) || given.has('ssl');
  const mode = given.get('sslmode') ?? (hasTls ? '' : environment['PGSSLMODE']);
  const added = FILES.filter(({ parameter }) => !given.has(parameter)).flatMap(({ variable, parameter }) => {
    const file = fileIn(environment, variable);
    return file === undefined ? [] : [`${parameter}=${encodeURIComponent(file)}`];
  });
  if (added.length === 0 || (!hasTls && !usesTls(mode))) return url;
  if (!given.has('sslmode') && mode) added.push(`sslmode=${mode}`);
  return `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}`;
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
