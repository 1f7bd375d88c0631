import { SELECTING_VARIABLES } from '../../storage/database/session/selecting-variables.js';
import { blankValue, isBlank } from '../../settings/setting.js';
import { StartError } from '../../settings/start-error.js';
import type { ServerSettings } from './server-settings.js';

/** Whether no other PostgreSQL is configured. StartError if a variable that would select one is empty: which one is meant cannot be known. */
export function usesEmbeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): boolean {
  const blank = SELECTING_VARIABLES.find((name) => isBlank(environment[name]));
  if (blank !== undefined && config.databaseUrl === '') throw new StartError(blankValue(blank));
  const given = [config.databaseUrl, config.databasePasswordFile, ...SELECTING_VARIABLES.map((name) => environment[name])];
  return !given.some(Boolean);
}
