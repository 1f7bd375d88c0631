import type { ServerConfig } from '../config/server-config.js';
import { usesEmbeddedPostgres } from './embedded-database.js';

/** Where the server listens: without `--bind-address`, this machine alone as long as the database is its own too. */
export function bindAddress(config: ServerConfig, environment: NodeJS.ProcessEnv): string {
  if (config.bindAddress !== '') return config.bindAddress;
  return usesEmbeddedPostgres(config, environment) ? '127.0.0.1' : '0.0.0.0';
}

/** Whether that is every address of the machine, as it is where none is named. */
export function isEverywhere(address: string): boolean {
  return address === '' || address === '0.0.0.0' || /^[0:]+$/.test(address);
}
