import type { RenewLoad } from '../load/generator.js';
import type { Scenario, Side } from './scenario.js';

const PACE_SECONDS = 10;

const renewing = (load: Omit<RenewLoad, 'seconds'>, name = ''): Side => ({
  name,
  measure: ({ generator, target, seconds }) => generator.renew(target, { ...load, seconds }),
});

const closedLoop = (clients: number, figure: string, better: Scenario['better']): Scenario => ({
  name: `renew-${clients}`,
  load: clients === 1 ? 'a renewal, 1 client' : `renewals/s, ${clients} clients`,
  figure,
  better,
  seconds: 6,
  sides: [renewing({ clients })],
});

const heartbeats = (clients: number): Scenario => ({
  name: `heartbeat-${clients}`,
  load: `${clients.toLocaleString('en')} leases every ${PACE_SECONDS} s`,
  figure: 'p99 ms',
  better: 'less',
  seconds: 2 * PACE_SECONDS,
  sides: [renewing({ clients, everySeconds: PACE_SECONDS })],
});

const http1: Scenario = {
  name: 'http1',
  load: 'renewals/s, 64 clients, by protocol',
  figure: 'renewals/s',
  better: 'more',
  seconds: 6,
  sides: [
    renewing({ clients: 64 }, 'HTTP/2'),
    {
      name: 'HTTP/1.1',
      measure: ({ generator, target, seconds }) => generator.renew({ ...target, http1: true }, { clients: 64, seconds }),
    },
  ],
};

/** Renewals and nothing else. */
export const renewScenarios: readonly Scenario[] = [
  closedLoop(64, 'renewals/s', 'more'),
  closedLoop(1, 'p50 ms', 'less'),
  ...[5000, 10_000, 25_000].map(heartbeats),
  http1,
];
