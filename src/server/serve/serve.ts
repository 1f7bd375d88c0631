import path from 'node:path';
import type { Logger } from 'pino';
import { createLogger } from '../../telemetry/logger.js';
import type { ServerSettings } from '../config/server-settings.js';
import type { Supervisor } from '../workers/supervisor.js';
import { workerCount } from '../config/worker-count.js';
import { startBanner } from './start-banner.js';
import { bindAddress } from '../config/bind-address.js';
import type { LoadHttpApplication } from '../process/http-application.js';
import type { Server } from '../process/server.js';
import { StartProgress } from './start-progress.js';
import { withinDeadline } from '../process/within-deadline.js';
import { onStopSignals } from './stop-signals.js';

/**
 * Serves until a signal asks it to stop; the process then exits with code 0. Resolves once it serves; rejects if it cannot start. A
 * second signal ends the process at once, with code 1.
 */
export async function serve(given: ServerSettings, loadApplication: LoadHttpApplication): Promise<void> {
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
      void withinDeadline(server.stop(), () => fail('the server did not stop in time')).then(() => process.exit(0));
    },
    abort: () => {
      server.abandon();
      process.exit(1);
    },
  });

  try {
    const running = await server.start(process.env, { onFailure: fail, onStep: progress.report });
    progress.end();
    if (!stopping) process.stdout.write(startBanner({ ...config, ...running }));
  } catch (error) {
    progress.end();
    // If the start failed because of the stop, that is not an error.
    if (!stopping) throw error;
  }
}

/** A server in this process, or a supervisor of workers, which is small: it loads none of the workers' code. */
async function createServer(config: ServerSettings, loadApplication: LoadHttpApplication, logger: Logger): Promise<Server | Supervisor> {
  const count = workerCount(config);
  if (count > 1) return new (await import('../workers/supervisor.js')).Supervisor(config, count, logger);
  return new (await import('../process/server.js')).Server(config, loadApplication, logger);
}
