import type { Logger } from 'pino';
import type { ServerSettings } from '../config/server-settings.js';
import { workerCount } from '../config/process.settings.js';
import type { LoadHttpApplication } from '../process/http-application.js';
import type { ServerProcess } from '../process/serve.js';

/**
 * A server in this process, or the supervisor of several worker processes. Only the code of either is loaded; the supervisor's is small.
 * `config` must have an absolute data directory.
 */
export async function createServer(config: ServerSettings, loadApplication: LoadHttpApplication, logger: Logger): Promise<ServerProcess> {
  const count = workerCount(config.workers);
  if (count > 1) return new (await import('./supervisor.js')).Supervisor(config, count, loadApplication, logger);
  return new (await import('../process/server.js')).Server(config, loadApplication, logger);
}
