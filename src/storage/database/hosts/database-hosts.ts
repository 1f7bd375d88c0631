import type pg from 'pg';
import { type ConnectionSettings, connectionUrl, eachHost, parseConnectionString } from './connection-string.js';
import { DatabaseStartError } from '../session/database-start-error.js';
import { tlsOfVariables, withTlsVariables } from './tls-variables.js';

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
