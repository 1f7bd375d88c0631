import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube/kube-client.js';

const POLL_MS = 100;

/** Resolves with true once the condition has been seen at each instance of kube-apiserver; false if one does not meet it before the deadline. */
export async function everyInstance(
  instances: readonly KubeClient[],
  deadlineMs: number,
  condition: (instance: KubeClient) => Promise<boolean>,
): Promise<boolean> {
  const seen = await Promise.all(
    instances.map(async (instance) => {
      while (Date.now() < deadlineMs) {
        if (await condition(instance)) return true;
        await sleep(POLL_MS);
      }
      return false;
    }),
  );
  return !seen.includes(false);
}
