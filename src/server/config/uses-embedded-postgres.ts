import { existsSync } from 'node:fs';
import path from 'node:path';
import { connectionUrl } from '../../storage/database/hosts/connection-string.js';
import { SELECTING_VARIABLES } from '../../storage/database/session/start-failure.js';
import { blankValue, isBlank } from '../../settings/setting.js';
import { shellWord } from '../../settings/program-call.js';
import { StartError } from '../../settings/start-error.js';
import type { ServerSettings } from './server-settings.js';

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
