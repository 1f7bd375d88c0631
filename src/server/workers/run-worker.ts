import type { LoadHttpApplication } from '../lifecycle/http-application.js';
import { Worker } from './worker.js';
import type { StartMessage, ToWorker } from './worker-messages.js';

/** Connects this process to the supervisor that has started it: what it is to do comes as messages. */
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
    // Nobody would replace it, and it would keep the port from whoever comes next.
    process.once('disconnect', () => worker.stop('the supervisor is gone'));
    // A terminal sends its signals to all; one that is sent to this process alone has it replaced.
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => worker.stop(name));
    process.on('unhandledRejection', (error) => worker.fail(error));
    process.on('uncaughtException', (error) => worker.fail(error));
    // Of a supervisor that is gone; what is written then fails by itself.
    process.stdout.on('error', () => undefined);
    void worker.run();
  });
}
