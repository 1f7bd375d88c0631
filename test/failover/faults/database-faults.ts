import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseNode } from '../cluster/database-node.js';
import type { Fault, FaultContext } from './fault.js';

const always = () => true;

/** Restarts a dead node, sometimes without its data. */
function revive(node: DatabaseNode, { random, note, cluster }: FaultContext): void {
  if (cluster.rebuildsNodes && random.chance(0.15)) {
    note('data gone');
    node.wipe();
  }
  node.heal();
  node.start();
}

const killPostmaster: Fault = {
  name: 'kill postmaster',
  weight: 3,
  failsOver: (cluster) => cluster.failsOverOnCrash,
  run: async ({ cluster, primary, replaced }) => {
    primary.killPostmaster();
    if (cluster.failsOverOnCrash) await replaced();
  },
};

const killNode: Fault = {
  name: 'kill node',
  weight: 4,
  failsOver: always,
  run: async (context) => {
    await context.primary.kill();
    await context.replaced();
    await sleep(context.random.below(3_000));
    revive(context.primary, context);
  },
};

/** With asynchronous replication, writes made meanwhile are lost: a few, or several rotations of the log. */
const killLagging: Fault = {
  name: 'kill node with standbys behind',
  weight: 5,
  failsOver: always,
  run: async (context) => {
    const { primary, synchronous, random, note, replaced } = context;
    // A synchronous standby that is silent for longer may not be eligible for promotion, although nothing was acknowledged without it.
    const lag = random.pick(synchronous ? [300, 1_000, 2_000] : [300, 1_000, 2_000, 4_000, 9_000]);
    note(`${lag} ms`);
    primary.replicationLink.mute();
    await sleep(lag);
    await primary.kill();
    await replaced();
    revive(primary, context);
  },
};

/** Only the new holder knows of a lost acquisition afterwards; if failovers are quick, it still believes that it leads. */
const loseAcquisition: Fault = {
  name: 'lose an acquisition',
  weight: 3,
  failsOver: always,
  possible: ({ synchronous }) => !synchronous,
  run: async ({ cluster, primary, handOver, replaced }) => {
    primary.replicationLink.mute();
    await handOver();
    if (cluster.failsOverOnCrash) primary.killPostmaster();
    else await primary.kill();
    await replaced();
    primary.heal();
    primary.start();
  },
};

const pauseNode: Fault = {
  name: 'pause node',
  weight: 3,
  failsOver: always,
  run: async ({ primary, random, replaced }) => {
    primary.pause('everything');
    await replaced();
    await sleep(random.below(3_000));
    primary.resume();
  },
};

const pausePostgres: Fault = {
  name: 'pause PostgreSQL',
  weight: 2,
  failsOver: () => false,
  run: async ({ primary, random }) => {
    primary.pause('postgres');
    await sleep(1_000 + random.below(9_000));
    primary.resume();
  },
};

const pauseManager: Fault = {
  name: 'pause manager',
  weight: 2,
  failsOver: (cluster) => cluster.failsOverOnSilentManager,
  run: async ({ cluster, primary, random, replaced }) => {
    primary.pause('manager');
    if (cluster.failsOverOnSilentManager) await replaced();
    await sleep(random.below(4_000));
    primary.resume();
  },
};

const cutFromManager: Fault = {
  name: 'cut off from DCS',
  weight: 3,
  failsOver: (cluster) => cluster.failsOverOnSilentManager,
  run: async ({ cluster, primary, random, replaced }) => {
    primary.managerLink.mute();
    if (cluster.failsOverOnSilentManager) await replaced();
    await sleep(random.below(5_000));
    primary.heal();
  },
};

const isolate: Fault = {
  name: 'isolate primary',
  weight: 3,
  failsOver: always,
  run: async ({ primary, servers, random, replaced, note }) => {
    const cut = servers.filter(() => random.chance(0.5));
    note(`from ${cut.length} servers too`);
    primary.isolate();
    for (const { address } of cut) address.cutFrom(primary);
    await replaced();
    await sleep(random.below(4_000));
    for (const { address } of cut) address.heal();
    primary.heal();
  },
};

const switchover: Fault = {
  name: 'switchover',
  weight: 3,
  failsOver: always,
  run: async ({ cluster, primary, replaced }) => {
    await Promise.all([cluster.switchover(primary), replaced()]);
  },
};

/** Keyed by cluster. A backup may be restored repeatedly, so that backups of different ages occur. */
const backups = new WeakMap<object, string>();

const restore: Fault = {
  name: 'restore a backup',
  weight: 1,
  failsOver: always,
  possible: ({ cluster, synchronous }) => !synchronous && cluster.restore !== undefined,
  run: async ({ cluster, random, note, restored }) => {
    let backup = backups.get(cluster);
    if (backup === undefined || random.chance(0.3)) {
      backup = (await cluster.backup?.()) ?? '';
      backups.set(cluster, backup);
      await sleep(random.below(8_000));
    } else note('the same again');
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await cluster.restore?.(backup);
    restored();
  },
};

const killStandby: Fault = {
  name: 'kill standby',
  weight: 1,
  failsOver: () => false,
  run: async (context) => {
    const { cluster, primary, random } = context;
    const standby = random.pick(cluster.nodes.filter((node) => node !== primary));
    await standby.kill();
    await sleep(random.below(5_000));
    revive(standby, context);
  },
};

export const DATABASE_FAULTS: readonly Fault[] = [
  ...[killPostmaster, killNode, killLagging, loseAcquisition, pauseNode, pausePostgres, pauseManager],
  ...[cutFromManager, isolate, switchover, restore, killStandby],
];
