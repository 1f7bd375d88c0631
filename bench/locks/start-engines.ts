import { startEtcdEngine } from './engines/etcd-engine.js';
import { startPostgresEngines } from './engines/postgres-engines.js';
import { startRedisEngine } from './engines/redis-engine.js';
import { startServerEngines } from './engines/server-engines.js';
import { type LockEngine, MissingEngineError } from './lock-engine.js';

/** Starts all that this machine has; the others are left out, and `onMissing` gets the reason. The first is the reference. */
export async function startEngines(onMissing: (reason: string) => void): Promise<readonly LockEngine[]> {
  const engines: LockEngine[] = [];
  try {
    engines.push(...(await startPostgresEngines()), ...(await startServerEngines()));
    for (const start of [() => startRedisEngine('memory'), () => startRedisEngine('flushed'), startEtcdEngine]) {
      try {
        engines.push(await start());
      } catch (error) {
        if (!(error instanceof MissingEngineError)) throw error;
        onMissing(error.message);
      }
    }
    return engines;
  } catch (error) {
    await stopEngines(engines);
    throw error;
  }
}

export async function stopEngines(engines: readonly LockEngine[]): Promise<void> {
  for (const engine of engines.toReversed()) await engine.stop();
}
