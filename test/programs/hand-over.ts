import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../packages/kube-client/src/clock.js';
import { httpsTransport } from '../../packages/kube-client/src/https-transport.js';
import { type Lease, microTime } from '../../packages/kube-client/src/kubernetes-objects.js';
import { apiAccess } from '../../packages/leader-election/test/support/api-access.js';
import { acquireLock } from '../../packages/lease-lock/src/acquire-lock.js';
import { leaseNames } from '../../packages/lease-lock/src/http/lease-names.js';
import { LeaseRequests } from '../../packages/lease-lock/src/http/lease-requests.js';
import { serverBackend } from '../../packages/lease-lock/src/http/server-backend.js';
import { ServerTime } from '../../packages/lease-lock/src/http/server-time.js';
import type { Lock } from '../../packages/lease-lock/src/lock.js';
import { quantile } from '../support/quantile.js';
import { startServerProcess } from '../support/server-process.js';
import { startSharedPostgres } from '../support/shared-postgres.js';

/**
 * `npm run program hand-over`: how long a lock takes from its release to the next contender, with many who wait. Those that are served are contenders of
 * the package, in this process; those behind them are the tickets that contenders leave, renewed as these would be.
 */
const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '10000' },
    'hand-overs': { type: 'string', default: '200' },
    /** Milliseconds for which each contender holds the lock. */
    held: { type: 'string', default: '100' },
  },
});
const [waiting, handOvers, held] = [Number(values.waiting), Number(values['hand-overs']), Number(values.held)];
const LOCK = 'hand-over';
const TICKET_SECONDS = 30;
const AT_ONCE = 16;

await using _shared = await startSharedPostgres();
const server = await startServerProcess();
try {
  const access = await apiAccess(server);
  const time = new ServerTime(systemClock);
  const requests = new LeaseRequests(httpsTransport(access), 'default', systemClock, time);
  const backend = serverBackend({ transport: httpsTransport(access), namespace: 'default', ticketSeconds: TICKET_SECONDS });
  const never = new AbortController().signal;
  const { ticketPrefix, queueLabel } = leaseNames(LOCK);

  let next = await acquireLock(LOCK, { backend });
  const served: { readonly at: number; readonly lock: Lock }[] = [];
  const failures: unknown[] = [];
  for (let number = 0; number < handOvers; number++) {
    acquireLock(LOCK, { backend }).then(
      (lock) => served.push({ at: performance.now(), lock }),
      (error: unknown) => failures.push(error),
    );
  }
  await placed(handOvers);
  const tickets: Lease[] = [];
  await inTurns(Math.max(0, waiting - handOvers), async (number) => {
    const now = microTime(time.now());
    const spec = { holderIdentity: `w${number}`, leaseDurationSeconds: TICKET_SECONDS, acquireTime: now, renewTime: now };
    const metadata = { name: `${ticketPrefix}w${number}`, namespace: 'default', labels: { ...queueLabel } };
    tickets.push(await requests.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, never));
  });

  let renewals = 0;
  let isOver = false;
  const renewing = keepRenewing();
  const latencies: number[] = [];
  for (let number = 0; number < handOvers; number++) {
    await sleep(held);
    const from = performance.now();
    const releasing = next.release();
    while (served.length <= number && failures.length === 0) await sleep(0.2);
    const one = served[number];
    if (!one) throw failures[0];
    latencies.push(one.at - from);
    await releasing;
    next = one.lock;
  }
  isOver = true;
  await renewing;
  await next.release();
  const percentile = (share: number): string => quantile(latencies, share).toFixed(1);
  console.log(`${handOvers} hand-overs with ${waiting} waiting, each held for ${held} ms, ${renewals} renewals of tickets beside them`);
  console.log(`from the release to the next holder: p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, at most ${percentile(1)} ms`);
  process.exitCode = Number(percentile(0.99)) < 50 ? 0 : 1;

  /** A third of a ticket's time, as its owner would. */
  async function keepRenewing(): Promise<void> {
    while (!isOver && tickets.length > 0) {
      const round = performance.now();
      await inTurns(tickets.length, async (at) => {
        if (isOver) return;
        const due = round + ((TICKET_SECONDS * 1000) / 3) * (at / tickets.length);
        await sleep(Math.max(0, due - performance.now()));
        const ticket = tickets[at] as Lease;
        tickets[at] = await requests.update({ ...ticket, spec: { ...ticket.spec, renewTime: microTime(time.now()) } }, never);
        renewals++;
      });
    }
  }

  async function placed(count: number): Promise<void> {
    const [[key = '', value = ''] = []] = Object.entries(queueLabel);
    for (;;) {
      const leases = await requests.list(`${key}=${value}`, never);
      const known = leases.filter(({ metadata }) => metadata.name?.startsWith(ticketPrefix) && metadata['annotations'] !== undefined);
      if (known.length >= count || failures.length > 0) return;
      await sleep(100);
    }
  }
} finally {
  await server.stop();
}
process.exit();

/** Work on each of some numbers, a few at a time. */
async function inTurns(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let number = 0;
  const worker = async (): Promise<void> => {
    while (number < count) await work(number++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
