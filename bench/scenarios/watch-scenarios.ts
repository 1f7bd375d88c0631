import { LeaseClient } from '../load/lease-client.js';
import type { Figures } from '../measure/figures.js';
import type { Scenario, Trial } from './scenario.js';

const RENEWALS = 500;
const WATCHERS = 200;
const IDLE_WATCHERS = 5000;
const STREAMS_PER_CONNECTION = 100;

const watch: Scenario = {
  name: 'watch-200',
  load: `${RENEWALS} renewals/s, ${WATCHERS} watchers`,
  figure: 'events/s',
  better: 'more',
  seconds: 10,
  sides: [
    {
      name: '',
      measure: ({ generator, target, seconds }) =>
        generator.watch(target, { clients: RENEWALS, everySeconds: 1, watchers: WATCHERS, seconds }),
    },
  ],
};

const renew = ({ generator, target, seconds }: Trial): Promise<Figures> => generator.renew(target, { clients: 64, seconds });

/** Renewals while streams are open on names that do not change. */
async function renewBesideWatchers(trial: Trial): Promise<Figures> {
  const client = new LeaseClient(trial.target, IDLE_WATCHERS / STREAMS_PER_CONNECTION);
  let events = 0;
  try {
    const streams = Array.from({ length: IDLE_WATCHERS }, (_, at) =>
      client.follow(`?watch=true&fieldSelector=metadata.name%3Didle-${at}`, () => (events += 1)),
    );
    await Promise.all(streams.map(({ opened }) => opened));
    return { ...(await renew(trial)), 'events of other names': events };
  } finally {
    client.close();
  }
}

const otherNames: Scenario = {
  name: 'other-names',
  load: 'renewals/s, 64 clients, beside watchers of other names',
  figure: 'renewals/s',
  better: 'more',
  seconds: 6,
  sides: [
    { name: 'no watcher', measure: renew },
    { name: `${IDLE_WATCHERS.toLocaleString('en')} watchers`, measure: renewBesideWatchers },
  ],
};

export const watchScenarios: readonly Scenario[] = [watch, otherNames];
