import path from 'node:path';
import type { Logger } from 'pino';
import { createLogger } from '../../telemetry/logger.js';
import type { ServerConfig } from '../config/server-config.js';
import type { Supervisor } from '../workers/supervisor.js';
import { workerCount } from '../workers/worker-count.js';
import { announcement } from './announcement.js';
import { bindAddress } from './bind-address.js';
import type { LoadHttpApplication } from './http-application.js';
import type { Server } from './server.js';
import { StartProgress } from './start-progress.js';
import { withinDeadline } from './stop-deadline.js';
import { onStopSignals } from './stop-signals.js';

/**
 * Serves until a signal asks it to stop; then the process ends with code 0. Resolves when it serves; rejects when it cannot start.
 * A second signal ends the process at once, with the code that shells give to one that a signal ended.
 */
export async function serve(given: ServerConfig, loadApplication: LoadHttpApplication): Promise<void> {
  const progress = new StartProgress();
  const config = { ...given, dataDir: path.resolve(given.dataDir), bindAddress: bindAddress(given, process.env) };
  const logger = createLogger(config);
  const server = await createServer(config, loadApplication, logger);
  let stopping = false;

  const fail = (reason: string): void => {
    progress.end();
    process.stderr.write(`error: ${reason}\n`);
    server.abandon();
    process.exit(1);
  };
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection');
    fail('an unexpected error, logged above');
  });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    fail('an unexpected error, logged above');
  });
  onStopSignals({
    stop: (signal) => {
      stopping = true;
      logger.info({ signal }, 'stopping');
      void withinDeadline(server.stop(), () => fail('it did not stop in time')).then(() => process.exit(0));
    },
    abort: () => {
      server.abandon();
      process.exit(1);
    },
  });

  try {
    const running = await server.start(process.env, { onFailure: fail, onStep: progress.report });
    progress.end();
    if (!stopping) process.stdout.write(announcement({ ...config, ...running }));
  } catch (error) {
    progress.end();
    // What a stop took away from under a start is no error of its own.
    if (!stopping) throw error;
  }
}

/** One process that does everything, or one that keeps others at it, which is small: it loads nothing of what they do. */
async function createServer(config: ServerConfig, loadApplication: LoadHttpApplication, logger: Logger): Promise<Server | Supervisor> {
  const count = workerCount(config);
  if (count > 1) return new (await import('../workers/supervisor.js')).Supervisor(config, count, logger);
  return new (await import('./server.js')).Server(config, loadApplication, logger);
}
