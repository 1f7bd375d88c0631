import { LeaseClient } from '../load/lease-client.js';
import { fill } from './fill.js';
import type { Scenario, Side, Trial } from './scenario.js';

const OBJECTS = 5000;
const MANY = 100_000;
const CLIENTS = 4;
const PAGE = 500;
const SECONDS = 6;

const lists = (name: string, load: string, limit: number, query?: string): Scenario => ({
  name,
  load,
  figure: limit === 0 ? 'lists/s' : 'pages/s',
  better: 'more',
  seconds: SECONDS,
  sides: [
    {
      name: '',
      measure: ({ generator, target, seconds }) => generator.list(target, { objects: OBJECTS, clients: CLIENTS, limit, query, seconds }),
    },
  ],
});

/** A page from the middle, to show any cost of the objects before it. */
const pagesAmong = (leases: number): Side => ({
  name: `${leases.toLocaleString('en')} leases`,
  prepare: fill(leases),
  measure: async (trial) => {
    const query = `continue=${encodeURIComponent(await middleOf(trial, leases))}`;
    const load = { objects: 1, clients: CLIENTS, limit: PAGE, query, seconds: trial.seconds };
    return trial.generator.list(trial.target, load);
  },
});

async function middleOf({ target }: Trial, leases: number): Promise<string> {
  const client = new LeaseClient(target, 1);
  try {
    const { body } = await client.send('GET', `?limit=${leases / 2}`);
    const { metadata } = JSON.parse(body.toString()) as { metadata: { continue: string } };
    return metadata.continue;
  } finally {
    client.close();
  }
}

const pagesIndependence: Scenario = {
  name: 'pages-independence',
  load: `pages/s of ${PAGE}, by how many leases there are`,
  figure: 'pages/s',
  better: 'more',
  seconds: SECONDS,
  separate: true,
  sides: [pagesAmong(OBJECTS), pagesAmong(MANY)],
};

export const listScenarios: readonly Scenario[] = [
  lists('list-5000', 'lists/s of 5,000 leases, 4 clients', 0),
  lists('list-5000-rv0', 'lists/s of 5,000 leases, resourceVersion=0', 0, 'resourceVersion=0'),
  lists('list-5000-pages', `pages/s of ${PAGE}, 4 clients`, PAGE),
  pagesIndependence,
];
