import { Distribution } from '../measure/distribution.js';
import type { Assumptions, Setting } from './assumptions.js';
import { EventQueue } from './event-queue.js';
import { exponential, seededRandom } from './random.js';
import { SingleServer } from './single-server.js';

export interface Simulated {
  readonly p50: number;
  readonly p99: number;
  /** Mean number of renewals per batch. */
  readonly batch: number;
  /** Utilization of the server processes and of the counter's row; above 1 it is overloaded. */
  readonly server: number;
  readonly counter: number;
}

interface Replica {
  readonly cpu: SingleServer;
  /** The arrival times of waiting writes, oldest first. */
  waiting: number[];
  sending: boolean;
}

/** A fifth of a flush's duration is exponentially distributed. */
const STEADY = 0.8;

/**
 * Renewals arrive independently and reach any replica. Each replica is one thread with one batch in progress; all batches lock the
 * counter's row in turn until they are durable. A change costs every replica its application, and the events of its watches.
 */
export function simulate(setting: Setting, assumed: Assumptions, ms: number, seed = 1): Simulated {
  const events = new EventQueue();
  const random = seededRandom(seed);
  const counter = new SingleServer(events);
  const replicas = Array.from({ length: setting.replicas }, (): Replica => ({
    cpu: new SingleServer(events),
    waiting: [],
    sending: false,
  }));
  const took = new Distribution();
  const perChange = assumed.follow + (setting.watchers / setting.replicas) * assumed.event;
  let batches = 0;
  let renewals = 0;

  const send = (replica: Replica): void => {
    const batch = replica.waiting.splice(0, assumed.batchItems);
    replica.sending = batch.length > 0;
    if (!replica.sending) return;
    batches += 1;
    renewals += batch.length;
    const commit = setting.commit * STEADY + exponential(random, setting.commit * (1 - STEADY));
    const held = assumed.batch + assumed.item * batch.length + commit;
    const answered = () => {
      for (const since of batch) replica.cpu.run(assumed.requestAfter, () => took.add(events.now - since));
      for (const { cpu } of replicas) cpu.run(batch.length * perChange);
      send(replica);
    };
    events.at(events.now + assumed.roundTrip / 2, () => counter.run(held, () => events.at(events.now + assumed.roundTrip / 2, answered)));
  };

  const arrive = (): void => {
    const since = events.now;
    const replica = replicas[Math.floor(random() * replicas.length)];
    replica?.cpu.run(assumed.requestBefore, () => {
      replica.waiting.push(since);
      if (!replica.sending) send(replica);
    });
    const next = since + exponential(random, 1000 / setting.rate);
    if (next < ms) events.at(next, arrive);
  };

  events.at(0, arrive);
  events.run();
  const busiest = Math.max(...replicas.map(({ cpu }) => cpu.busy));
  return {
    p50: took.quantile(0.5),
    p99: took.quantile(0.99),
    batch: renewals / batches,
    server: busiest / ms,
    counter: counter.busy / ms,
  };
}
