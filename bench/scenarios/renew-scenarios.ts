import type { RenewLoad } from '../load/generator.js';
import type { Scenario, Side } from './scenario.js';

const PACE_SECONDS = 10;
const WARM_SECONDS = 6;

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

/** Each connection at its own pace, on a server that is warm: V8 has optimized nothing after the first hundreds of renewals. */
const quiet = (rate: number, name = ''): Side => ({
  ...renewing({ clients: rate, everySeconds: 1, connections: 64 }, name),
  prepare: async ({ generator, target }) => void (await generator.renew(target, { clients: 64, seconds: WARM_SECONDS })),
});

/** The rates of a quiet day: what a renewal costs there is what most users pay. */
const trickle = (rate: number): Scenario => ({
  name: `trickle-${rate}`,
  load: `${rate.toLocaleString('en')} renewals/s from 64 connections`,
  figure: 'CPU ms each',
  better: 'less',
  seconds: 8,
  sides: [quiet(rate)],
});

/** What further replicas add, which read what the first one commits. */
const replicas: Scenario = {
  name: 'replicas-3',
  load: '500 renewals/s at one of three servers',
  figure: 'CPU ms each',
  better: 'less',
  seconds: 8,
  separate: true,
  sides: [1, 3].map((servers) => ({ ...quiet(500, servers === 1 ? '1 server' : `${servers} servers`), servers })) as [Side, Side],
};

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
  ...[100, 500, 1000].map(trickle),
  replicas,
  ...[5000, 10_000, 25_000].map(heartbeats),
  http1,
];
