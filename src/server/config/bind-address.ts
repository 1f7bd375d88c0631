import type { ServerSettings } from './server-settings.js';
import { usesEmbeddedPostgres } from './uses-embedded-postgres.js';

/** The listening address. Without `--bind-address`, it is the loopback interface as long as the database is embedded. */
export function bindAddress(config: ServerSettings, environment: NodeJS.ProcessEnv): string {
  if (config.bindAddress !== '') return config.bindAddress;
  return usesEmbeddedPostgres(config, environment) ? '127.0.0.1' : '0.0.0.0';
}

/** Whether it is the wildcard address, as '' is. */
export function isWildcard(address: string): boolean {
  return address === '' || address === '0.0.0.0' || /^[0:]+$/.test(address);
}
