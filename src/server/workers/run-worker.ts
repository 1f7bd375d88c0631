import type { LoadHttpApplication } from '../process/http-application.js';
import { Worker } from './worker.js';
import type { StartMessage, ToWorker } from './worker-messages.js';

/** Connects this process to its supervisor, which sends its tasks as messages. */
export function runWorker(loadApplication: LoadHttpApplication): void {
  if (!process.connected) {
    process.stderr.write('error: workers are started by coordination-apiserver serve --workers\n');
    process.exit(1);
  }
  const endUnstarted = (): never => process.exit(0);
  process.once('disconnect', endUnstarted);
  process.once('message', (start: StartMessage) => {
    process.off('disconnect', endUnstarted);
    const worker = new Worker(start, loadApplication);
    process.on('message', (message: ToWorker) => worker.receive(message));
    // No supervisor would replace this process, and it would keep the port from later servers.
    process.once('disconnect', () => worker.stop('the supervisor has exited'));
    // A terminal sends its signals to all processes; a worker that alone receives one exits and is replaced.
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => worker.stop(name));
    process.on('unhandledRejection', (error) => worker.fail(error));
    process.on('uncaughtException', (error) => worker.fail(error));
    // The supervisor may be gone; writing then fails, which needs no handling.
    process.stdout.on('error', () => undefined);
    void worker.run();
  });
}
