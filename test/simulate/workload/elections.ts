import { systemContext } from '../../../src/registry/resource/request-context.js';
import type { Random } from '../../fuzz/random.js';
import { TERM_RESOURCE } from '../../../src/storage/term-change.js';
import { checkTerms } from '../check/check-terms.js';
import { nameOf } from '../check/history.js';
import { Holders } from '../check/holders.js';
import { WallClocks } from '../world/wall-clocks.js';
import { Finding } from '../world/world.js';
import { namespaceTarget } from '../../support/registry-fixture.js';
import { WRITE } from './api.js';
import { Candidate } from './candidate.js';
import type { Context } from './context.js';
import { type ControlPlane, startControlPlane, SYSTEM_NAMESPACE } from './control-plane.js';
import { Locker } from './locker.js';
import { SimulatedServer } from './simulated-server.js';
import { SqlLocker } from './sql-locker.js';
import { cacheOptions, storeOptions } from './storage.js';
import { Tenant } from './tenant.js';
import type { Workload } from './workload.js';
import { requireComplete, Watcher } from './watcher.js';
import { LEASES } from './writer.js';

/** Starts tenants of two or three servers with their controllers, and the candidates of an election. */
export function beginElections(context: Context, random: Random): Workload {
  const { world, servers, cluster, history, reads, endsAt } = context;
  const holders = new Holders(world, cluster);
  const clocks = new WallClocks(world.stream());
  const planes = new WeakMap<object, ControlPlane>();
  const planeOf = (server: SimulatedServer) => planes.get(server.process);
  const apiOf = (server: SimulatedServer) => planeOf(server)?.api;
  const [store, cache] = [storeOptions(random), cacheOptions(random)];
  const onReady = async (server: SimulatedServer) => {
    const { plane, stop } = await startControlPlane(world, server, holders, clocks);
    planes.set(server.process, plane);
    await ensureSystemNamespace(plane);
    return stop;
  };
  for (let i = 0; i < 2 + random.below(2); i++) servers.push(new SimulatedServer({ world, name: `server-${i}`, store, cache, onReady }));
  const candidates = [0, 1, 2].map((i) => new Candidate({ world, servers, apiOf, holders, clocks }, `candidate-${i}`));
  for (const i of [0, 1, 2]) new Locker({ world, servers, apiOf, holders, clocks }, `locker-${i}`);
  for (const i of [0, 1, 2]) new SqlLocker(world, holders, history, `sql-locker-${i}`, i === 0);
  for (let i = 0; i < 1 + random.below(2); i++) new Tenant({ world, servers, apiOf, reads, endsAt }, `tenant-${i}`);
  const watchers = [0, 1].map((i) => new Watcher(context, `term-watcher-${i}`, { resource: TERM_RESOURCE }));
  // elections continue to the end
  const finish = (settled: number) => {
    const { states } = cluster.contents.head;
    checkTerms(cluster.contents);
    requireComplete(watchers, settled);
    const ending = [...states.values()].find(({ resource, terminating }) => resource === 'namespaces' && terminating);
    if (ending) throw new Finding(`${nameOf(ending)} is still there at the end, and was deleted`);
    for (const server of servers) {
      const known = [...(planeOf(server)?.informer.all() ?? [])].filter(({ key }) => key.namespace !== SYSTEM_NAMESPACE);
      const there = [...states.values()].filter(({ resource, path }) => resource === LEASES && !path.startsWith(`${SYSTEM_NAMESPACE}/`));
      const [found, wanted] = [known, there].map((all) => all.map(({ revision }) => revision).sort((x, y) => x - y));
      if (found!.join() !== wanted!.join()) throw new Finding(`the informer of ${server.name} is not up to date`);
    }
  };
  // a controller retries within half a minute
  return { candidates, restMs: 60_000, finish };
}

async function ensureSystemNamespace({ api }: ControlPlane): Promise<void> {
  try {
    await api.namespaces.create(systemContext('server'), namespaceTarget(''), { metadata: { name: SYSTEM_NAMESPACE } }, WRITE);
  } catch {
    // it exists already, or another server creates it
  }
}
