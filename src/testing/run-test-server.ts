import { fstatSync, rmSync } from 'node:fs';
import type { ServerSettings } from '../server/config/server-settings.js';
import { onStopSignals, withinDeadline } from '../server/process/stop-signals.js';
import { writePrivateFile } from '../settings/given-files.js';
import { StartError } from '../settings/start-error.js';
import { startServer } from './start-test-server.js';

const LOOK_FOR_PARENT_MS = 250;
const STDIN = 0;

/**
 * Serves until a signal, the end of this process's input if that is a pipe, or the end of its parent. Prints one line once it serves, with the
 * URL and the file of the kubeconfig.
 */
export async function runTestServer(settings: ServerSettings, kubeconfigFile: string): Promise<void> {
  const server = await startServer(settings);
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    rmSync(kubeconfigFile, { force: true });
    void withinDeadline(server.close(), () => process.exit(1)).then(() => process.exit(0));
  };
  onStopSignals({ stop, abort: () => process.exit(1) });
  stopWithParent(stop);
  try {
    writePrivateFile(kubeconfigFile, server.kubeconfig);
  } catch (error) {
    await server.close();
    throw new StartError(`cannot write ${kubeconfigFile}: ${(error as Error).message}`, { cause: error });
  }
  process.stdout.write(`test server ready at ${server.url} with kubeconfig ${kubeconfigFile}\n`);
}

function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), LOOK_FOR_PARENT_MS).unref();
  // A terminal or /dev/null, as in the background of a shell, says nothing about who started this.
  const input = fstatSync(STDIN);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.on('end', stop).on('error', stop).resume();
}
