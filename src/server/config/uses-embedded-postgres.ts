import { SELECTING_VARIABLES } from '../../storage/database/session/selecting-variables.js';
import type { ServerSettings } from './server-settings.js';

/** Whether no other PostgreSQL is configured. */
export function usesEmbeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): boolean {
  const given = [config.databaseUrl, config.databasePasswordFile, ...SELECTING_VARIABLES.map((name) => environment[name])];
  return !given.some(Boolean);
}
