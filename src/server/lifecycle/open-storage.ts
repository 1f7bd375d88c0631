import type { Logger } from 'pino';
import type { HealthCheck } from '../../endpoints/health/health-check.js';
import { MemoryStore } from '../../storage/memory-store.js';
import type { ObjectStore } from '../../storage/object-store.js';
import type { ServerConfig } from '../config/server-config.js';
import type { SharedTexts } from '../tls/shared-secrets.js';

/** The opened database, as the layers above use it. */
export interface Storage {
  readonly objects: ObjectStore;
  readonly sharedTexts: SharedTexts;
  readonly healthChecks: readonly HealthCheck[];
  close(): Promise<void>;
}

export async function openStorage(_config: ServerConfig, _databaseUrl: string, _logger: Logger): Promise<Storage> {
  const objects = new MemoryStore();
  return Promise.resolve({
    objects,
    sharedTexts: { getOrCreate: (_name, make) => make() },
    healthChecks: [],
    close: () => Promise.resolve(),
  });
}
