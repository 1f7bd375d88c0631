import { setTimeout as sleep } from 'node:timers/promises';
import { transactionsPerSecond } from '../measure/database-activity.js';
import type { Figures } from '../measure/figures.js';
import { fill } from './fill.js';
import type { Scenario, Side, Trial } from './scenario.js';

const MANY = 100_000;
/** After this time, work left over from a start and a burst of writes is done and counted: the leases have lapsed, and terms were compared twice. */
const SETTLE_MS = 150_000;

const renewAmong = (leases: number): Side => ({
  name: `${leases.toLocaleString('en')} leases`,
  prepare: fill(leases),
  measure: ({ generator, target, seconds }) => generator.renew(target, { clients: 64, seconds }),
});

const renewAmongMany: Scenario = {
  name: 'renew-100000',
  load: 'renewals/s, 64 clients, by how many leases there are',
  figure: 'renewals/s',
  better: 'more',
  seconds: 6,
  separate: true,
  sides: [renewAmong(100), renewAmong(MANY)],
};

const memory: Scenario = {
  name: 'memory-10000',
  load: 'memory, 10,000 leases every 10 s',
  figure: 'server MiB',
  better: 'less',
  seconds: 30,
  sides: [
    { name: '', measure: ({ generator, target, seconds }) => generator.renew(target, { clients: 10_000, everySeconds: 10, seconds }) },
  ],
};

const memoryOfMany: Scenario = {
  name: 'memory-100000',
  load: 'memory, 100,000 leases, 500 watchers, 100 renewals/s',
  figure: 'server MiB',
  better: 'less',
  seconds: 30,
  sides: [
    {
      name: '',
      prepare: fill(MANY),
      measure: ({ generator, target, seconds }) => generator.watch(target, { clients: 100, everySeconds: 1, watchers: 500, seconds }),
    },
  ],
};

async function settled(trial: Trial): Promise<void> {
  await fill(10_000)(trial);
  await sleep(SETTLE_MS);
}

const idle: Scenario = {
  name: 'idle-10000',
  load: 'idle, 10,000 leases',
  figure: 'CPU %',
  better: 'less',
  seconds: 60,
  warmUp: false,
  sides: [
    {
      name: '',
      prepare: settled,
      measure: async ({ subject, seconds }): Promise<Figures> => {
        if (subject.databaseUrl !== undefined) return { 'queries/s': await transactionsPerSecond(subject.databaseUrl, seconds) };
        await sleep(seconds * 1000);
        return {};
      },
    },
  ],
};

/** Figures that grow, or must not grow, with the number of stored objects. */
export const sizeScenarios: readonly Scenario[] = [renewAmongMany, memory, memoryOfMany, idle];
