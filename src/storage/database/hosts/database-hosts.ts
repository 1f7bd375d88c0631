import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { DatabaseStartError } from '../session/database-start-error.js';
import { type ConnectionSettings, connectionUrl, eachHost, parseConnectionString } from './connection-string.js';

/** What pg needs, besides the PG* variables, to reach one host. */
export type DatabaseHost = Pick<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'ssl'>;

/** libpq's values that the server accepts; it needs the primary in any case. */
const ATTRIBUTES = ['any', 'read-write', 'primary'];

/**
 * The hosts that a URL or `host=...` names, or without one PGHOST and PGPORT. As in libpq, several hosts are separated by commas, each with its own
 * port if it differs from the common one. Rejects invalid input with a DatabaseStartError.
 */
export function databaseHosts(url: string | undefined, environment: NodeJS.ProcessEnv = process.env): DatabaseHost[] {
  if (!url) return variableHosts(environment);
  const settings = withTlsVariables(parseConnectionString(url), environment);
  checkAttributes(settings);
  return eachHost(withStrictSsl(settings)).map((host) => ({ connectionString: connectionUrl(host) }));
}

function variableHosts(environment: NodeJS.ProcessEnv): DatabaseHost[] {
  const { PGHOST = '', PGPORT = '' } = environment;
  const hosts = PGHOST.split(',');
  const ports = PGPORT.split(',');
  if (hosts.length === 1 && ports.length === 1) return [withTls({}, environment)];
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new DatabaseStartError(`PGPORT names ${ports.length} ports for ${hosts.length} hosts`);
  }
  return hosts.map((host, at) => withTls({ host, port: Number(ports[ports.length > 1 ? at : 0] || 5432) }, environment));
}

/** As with a URL, the files are read for each connection: they may be renewed. */
function withTls(host: DatabaseHost, environment: NodeJS.ProcessEnv): DatabaseHost {
  if (tlsOfVariables(environment) === undefined) return host;
  return {
    ...host,
    get ssl() {
      return tlsOfVariables(environment);
    },
  };
}

function checkAttributes(settings: ConnectionSettings): void {
  const wanted = settings.get('target_session_attrs');
  if (wanted === undefined || ATTRIBUTES.includes(wanted)) return;
  throw new DatabaseStartError(`target_session_attrs=${wanted} in the database URL: the server needs the primary`);
}

/** pg verifies the certificate in each of these modes, but prints a long warning that this may change. */
function withStrictSsl(settings: ConnectionSettings): ConnectionSettings {
  const isLoose = /^(prefer|require|verify-ca)$/.test(settings.get('sslmode') ?? '') && settings.get('uselibpqcompat') !== 'true';
  return isLoose ? new Map([...settings, ['sslmode', 'verify-full']]) : settings;
}

/** libpq's variables for files, the parameter of a URL that overrides each, and Node's name for the content. */
const FILES = [
  { variable: 'PGSSLROOTCERT', parameter: 'sslrootcert', option: 'ca' },
  { variable: 'PGSSLCERT', parameter: 'sslcert', option: 'cert' },
  { variable: 'PGSSLKEY', parameter: 'sslkey', option: 'key' },
] as const;

/** Adds the files that the variables name and the settings do not, which pg ignores. Without TLS, none is needed. */
function withTlsVariables(settings: ConnectionSettings, environment: NodeJS.ProcessEnv): ConnectionSettings {
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
function tlsOfVariables(environment: NodeJS.ProcessEnv): pg.ClientConfig['ssl'] {
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
