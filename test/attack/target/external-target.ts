import type { AttackTarget } from './attack-target.js';
import { ServerUsage } from '../../support/server-usage.js';

/** A server started independently with the tokens of identities.ts, such as a kube-apiserver on this machine. */
export function externalTarget(url: string, pid: number | undefined): AttackTarget {
  const usage = pid === undefined ? undefined : new ServerUsage(pid);
  return {
    url,
    usage,
    isForeign: true,
    death: () => (usage && !usage.isAlive ? 'its process has ended' : undefined),
    logBytes: () => undefined,
    stop: () => Promise.resolve(),
  };
}
