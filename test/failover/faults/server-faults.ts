import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';

const never = () => false;

const pauseServer: Fault = {
  name: 'pause server',
  weight: 3,
  failsOver: never,
  run: async ({ servers, random, note }) => {
    const server = random.pick(servers);
    const ms = random.pick([1_000, 4_000, 8_000, 16_000]);
    note(`${server.index} for ${ms} ms`);
    server.signal('SIGSTOP');
    await sleep(ms);
    server.signal('SIGCONT');
  },
};

const killServer: Fault = {
  name: 'kill server',
  weight: 2,
  failsOver: never,
  run: async ({ servers, random, note }) => {
    const server = random.pick(servers);
    note(`${server.index}`);
    await server.kill();
    await server.start(120_000);
  },
};

const cutServer: Fault = {
  name: 'cut server off from the primary',
  weight: 2,
  failsOver: never,
  run: async ({ servers, random, primary, note }) => {
    const server = random.pick(servers);
    note(`${server.index}`);
    server.address.cutFrom(primary);
    await sleep(2_000 + random.below(8_000));
    server.address.heal();
  },
};

/** Silences existing connections to the database permanently, while new ones work. */
const silenceServer: Fault = {
  name: 'silence connections of server',
  weight: 2,
  failsOver: never,
  run: async ({ servers, random, note }) => {
    const server = random.pick(servers);
    note(`${server.index}, ${server.address.link.connections} connections`);
    server.address.link.silence();
    await sleep(1_000);
  },
};

/** The address of one server briefly leads to a standby. */
const leadAstray: Fault = {
  name: 'lead server to a standby',
  weight: 2,
  failsOver: never,
  run: async ({ servers, cluster, random, primary, note }) => {
    const server = random.pick(servers);
    note(`${server.index}`);
    server.address.leadAstray(random.pick(cluster.nodes.filter((node) => node !== primary)));
    await sleep(1_000 + random.below(3_000));
    server.address.heal();
  },
};

export const SERVER_FAULTS: readonly Fault[] = [pauseServer, killServer, cutServer, silenceServer, leadAstray];
