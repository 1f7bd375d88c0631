import { lookup } from 'node:dns/promises';
import type { KubeClient } from '../../kube/kube-client.js';
import { databaseHostNames } from './database-host-names.js';
import { checkPlacement } from './database-placement.js';
import { type HandoverCheck, ok, problem } from './handover-check.js';

/** Where the database of this URL, or of the PG* variables, lives with respect to a cluster. */
export async function checkDatabase(cluster: Pick<KubeClient, 'ask'>, databaseUrl: string): Promise<HandoverCheck> {
  let hosts: string[];
  try {
    hosts = databaseHostNames(databaseUrl);
  } catch (error) {
    return problem('database', (error as Error).message);
  }
  if (databaseUrl !== '' && hosts.length === 0) return ok('database', 'on this machine, reached by a socket');
  const resolve = async (host: string): Promise<string[]> => (await lookup(host, { all: true })).map(({ address }) => address);
  return checkPlacement({ cluster, hosts, resolve });
}
