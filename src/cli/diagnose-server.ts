import path from 'node:path';
import { KubeClient, KubeError } from '../kube/kube-client.js';
import type { ServerSettings } from '../server/config/server-settings.js';
import type { Diagnosis } from '../storage/maintenance/diagnosis/diagnosis.js';
import { diagnoseControllers } from './diagnose-controllers.js';
import { CommandError } from './output/command-error.js';
import { ownServer } from './server-access.js';

const PATIENCE_MS = 7_000;
const CHECK = { check: 'server' };

/** Asks the server of the data directory how it is: it may have trouble that the database, asked by another process, has not. */
export async function diagnoseServer(config: ServerSettings): Promise<Diagnosis[]> {
  const folder = path.resolve(config.dataDir);
  let target;
  try {
    target = ownServer(config);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ ...CHECK, state: 'warning', detail: `not asked: ${error.message}` }];
  }
  const client = new KubeClient(target, { timeoutMs: PATIENCE_MS });
  const where = `${target.server}, of ${folder}`;
  try {
    const { status, text } = await client.askText('/readyz?verbose');
    if (status === 200) {
      const ready = { ...CHECK, state: 'ok', detail: `${where}, is ready: it was asked just now` } as const;
      return [ready, await diagnoseControllers(client, Date.now())];
    }
    const failed = [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name ?? '');
    const reasons = await Promise.all(failed.map(async (name) => `${name}: ${await reasonOf(client, name)}`));
    const detail = reasons.length > 0 ? reasons.join('; ') : `/readyz answers ${status}`;
    return [{ ...CHECK, state: 'problem', detail: `${where}, is not ready: ${detail}` }];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const isDown = error.message.includes('ECONNREFUSED');
    return [
      { ...CHECK, state: isDown ? 'warning' : 'problem', detail: `${isDown ? 'does not run' : 'does not answer'}: ${error.message}` },
    ];
  } finally {
    client.close();
  }
}

/** A check's own path tells why it fails. */
async function reasonOf(client: KubeClient, check: string): Promise<string> {
  const { text } = await client.askText(`/readyz/${check}`);
  return text.trim().replace(/^internal server error: /, '');
}
