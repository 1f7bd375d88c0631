import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { shellWord } from '../../settings/program-call.js';
import { blankValue, isBlank } from '../../settings/setting.js';
import { StartError } from '../../settings/start-error.js';
import { connectionUrl } from '../../storage/database/hosts/connection-string.js';
import { SELECTING_VARIABLES } from '../../storage/database/session/start-failure.js';
import type { ProcessSettings } from './process.settings.js';
import type { ServerSettings } from './server-settings.js';

/** The listening address. Without `--bind-address`, it is the loopback interface as long as the database is embedded. */
export function bindAddress(config: ServerSettings, environment: NodeJS.ProcessEnv): string {
  if (config.bindAddress !== '') return config.bindAddress;
  return usesEmbeddedPostgres(config, environment) ? '127.0.0.1' : '0.0.0.0';
}

/** Whether the address stands for every address of the machine, as '' does. */
export function isWildcard(address: string): boolean {
  return address === '' || address === '0.0.0.0' || /^[0:]+$/.test(address);
}

/** The URL for a client on this machine. */
export function localUrl(bound: string, port: number): string {
  return `https://${inUrl(isWildcard(bound) ? '127.0.0.1' : bound)}:${port}`;
}

/** The name by which other machines most likely reach this one; the generated certificate covers it. */
export function publicHost({ bindAddress: bound, tlsSan: [given] }: ProcessSettings): string {
  return inUrl(given ?? (isWildcard(bound) ? hostname() : bound));
}

function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Whether no other PostgreSQL is configured. StartError if which one is meant cannot be known: a variable that would select one is empty, or selects
 * one beside the data of an embedded one.
 */
export function usesEmbeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): boolean {
  const blank = SELECTING_VARIABLES.find((name) => isBlank(environment[name]));
  if (blank !== undefined && config.databaseUrl === '') throw new StartError(blankValue(blank));
  if (config.databaseUrl !== '' || config.databasePasswordFile !== '') return false;
  const selecting = SELECTING_VARIABLES.filter((name) => environment[name]);
  if (selecting.length === 0) return true;
  if (existsSync(path.join(config.dataDir, 'postgres', 'data'))) throw new StartError(twoDatabases(config.dataDir, selecting, environment));
  return false;
}

/** Which server a shell's variables select is often that of another program, or was wanted for psql. */
function twoDatabases(dataDir: string, selecting: readonly string[], environment: NodeJS.ProcessEnv): string {
  const { PGHOST: host = '', PGPORT: port = '', PGDATABASE: dbname = '' } = environment;
  const url = connectionUrl(new Map(Object.entries({ dbname, host, port }).filter(([, value]) => value !== '')));
  return `${dataDir} has an embedded database, and ${selecting.join(', ')} in the environment select${selecting.length > 1 ? '' : 's'} another: run "unset ${selecting.join(' ')}" for the embedded one, or pass --database-url=${shellWord(url)}`;
}
