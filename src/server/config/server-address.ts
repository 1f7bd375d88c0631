import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import type { ProcessSettings } from './process.settings.js';
import type { ServerSettings } from './server-settings.js';
import { usesEmbeddedPostgres } from './uses-embedded-postgres.js';

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
