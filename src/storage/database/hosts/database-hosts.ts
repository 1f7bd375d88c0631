import type pg from 'pg';
import { DatabaseStartError } from '../session/database-start-error.js';
import { tlsOfVariables, withTlsVariables } from './tls-variables.js';

/** What pg needs, besides the PG* variables, to reach one host. */
export type DatabaseHost = Pick<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'ssl'>;

// eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
const URL_PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
/** libpq's values that the server accepts; it needs the primary in any case. */
const ATTRIBUTES = ['any', 'read-write', 'primary'];

/**
 * The hosts named by a URL, or without one by PGHOST and PGPORT. As in libpq, several hosts are separated by commas, each with its own port
 * if it differs from the common one. Rejects invalid input with a DatabaseStartError as libpq would, except for hosts in URL parameters.
 */
export function databaseHosts(url: string | undefined, environment: NodeJS.ProcessEnv = process.env): DatabaseHost[] {
  if (!url) return variableHosts(environment);
  const strict = withStrictSsl(withTlsVariables(url, environment));
  const [, scheme = '', user = '', hosts = '', rest = ''] = URL_PARTS.exec(strict) ?? [];
  checkAttributes(rest);
  if (!hosts.includes(',')) return [{ connectionString: strict }];
  return hosts.split(',').map((host) => ({ connectionString: `${scheme}${user}${host}${rest}` }));
}

/** The password in a URL with any number of hosts; '' if it has none. */
export function passwordIn(url: string): string {
  const [first] = databaseHosts(url, {});
  const address = first?.connectionString ?? '';
  return URL.canParse(address) ? decodeURIComponent(new URL(address).password) : '';
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

function checkAttributes(rest: string): void {
  const wanted = new URLSearchParams(rest.split('?')[1]).get('target_session_attrs');
  if (wanted === null || ATTRIBUTES.includes(wanted)) return;
  throw new DatabaseStartError(`target_session_attrs=${wanted} in the database URL: the server needs the primary`);
}

/** pg verifies the certificate in each of these modes, but prints a long warning that this may change. */
function withStrictSsl(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
