import { parseConnectionString } from '../../storage/database/hosts/connection-string.js';

/** The hosts of a database URL, or without one of PGHOST; sockets have none. */
export function databaseHostNames(url: string, { PGHOST = '' }: NodeJS.ProcessEnv = process.env): string[] {
  const hosts = url === '' ? PGHOST : (parseConnectionString(url).get('host') ?? '');
  return hosts.split(',').filter((host) => host !== '' && !host.startsWith('/') && !host.startsWith('@'));
}
