import path from 'node:path';
import type { Logger } from 'pino';
import { createLogger } from '../../telemetry/logger.js';
import { bindAddress } from '../config/server-address.js';
import { type ServerSettings, defaultSettings } from '../config/server-settings.js';
import type { StartObserver } from './database-owner.js';
import { startBanner } from './start-banner.js';
import { StartProgress } from './start-progress.js';
import type { RunningServer } from './start-replica.js';
import { releaseStartMemory } from './release-start-memory.js';
import { onStopSignals } from './stop-signals.js';
import { withinDeadline } from './within-deadline.js';

/** Set by the image and docker-compose.yml. */
const KUBECONFIG_COMMAND = 'KUBECONFIG_COMMAND';

/** A server that this process runs: by itself, or as the supervisor of workers. */
export interface ServerProcess {
  /** Resolves once it serves. If it rejects, everything that had started is stopped. */
  start(environment: NodeJS.ProcessEnv, observer: StartObserver): Promise<RunningServer>;
  /** Stops it; a start in progress ends at its next step. */
  stop(): Promise<void>;
  /** Stops what would outlive this process, which exits at once. */
  abandon(): void;
}

/** Makes the server that settings ask for. The data directory in them is absolute. */
type CreateServer = (config: ServerSettings, logger: Logger) => Promise<ServerProcess>;

/**
 * Serves until a signal asks it to stop; the process then exits with code 0. Resolves once it serves; rejects if it cannot start. A
 * second signal ends the process at once, with code 1.
 */
export async function serve(given: ServerSettings, createServer: CreateServer): Promise<void> {
  const progress = new StartProgress();
  const config = {
    ...given,
    dataDir: path.resolve(given.dataDir),
    bindAddress: bindAddress(given, process.env),
  };
  const logger = createLogger(config);
  const server = await createServer(config, logger);
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
    releaseStartMemory();
    const isFound = given.dataDir === defaultSettings().dataDir && !process.env['KUBECONFIG'];
    const kubeconfigCommand = process.env[KUBECONFIG_COMMAND] || undefined;
    if (!stopping) process.stdout.write(startBanner({ ...config, ...running, isFound, kubeconfigCommand }));
  } catch (error) {
    progress.end();
    // If the start failed because of the stop, that is not an error.
    if (!stopping) throw error;
  }
}
