// The counterpart in TypeScript of test/clients/go/elect: campaigns until it is killed, or is told to stop, when it releases the lease. Prints
// "leading ID TOKEN", "lost ID WHY", and "acknowledged ID REVISION" for each write of its own to the lease. A leader writes to the table of the
// recipe all the time, without checking whether it still leads, and once more after it has lost. With --max-term or --priority it is at a good place
// now and then, and hands over there.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LeaseClient, CoordinationClient } from '../../../packages/kube-client/src/coordination-client.js';
import { httpsTransport } from '../../../packages/kube-client/src/https-transport.js';
import type { Lease } from '../../../packages/kube-client/src/kubernetes-objects.js';
import { LeaderElector } from '../../../packages/leader-election/src/leader-elector.js';
import type { LeadershipTerm, TermEndedError } from '../../../packages/leader-election/src/leadership-term.js';
import { RecipeTable } from './recipe-table.js';

const text = { type: 'string', default: '' } as const;
const milliseconds = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;
const { values } = parseArgs({
  options: {
    ...{ server: text, token: text, 'ca-file': text, name: text, identity: text, database: text },
    ...{ 'lease-duration': milliseconds(3000), 'renew-deadline': milliseconds(2000), 'retry-period': milliseconds(500) },
    ...{ 'max-term': text, priority: text },
  },
});
const { name, identity } = values;

/** Shorter than the longest way to a good place, so that some terms end without one. */
const DRAIN = 1_000;
const LONGEST_STEP = 1_200;
const handsOver = values['max-term'] !== '';

const say = (error: unknown): void => console.log('error', (error as Error).message);

function telling(client: LeaseClient): LeaseClient {
  const tell = (lease: Lease): Lease => {
    if (lease.spec?.holderIdentity === identity) console.log('acknowledged', identity, lease.metadata.resourceVersion);
    return lease;
  };
  return {
    ...client,
    create: async (lease, signal) => tell(await client.create(lease, signal)),
    update: async (lease, signal) => tell(await client.update(lease, signal)),
  };
}

const table = new RecipeTable(values.database);
const transport = httpsTransport({ server: values.server, token: values.token, ca: readFileSync(values['ca-file']) });
const elector = new LeaderElector({
  client: telling(new CoordinationClient(transport).leases),
  namespace: 'default',
  name,
  identity,
  leaseDuration: Number(values['lease-duration']),
  renewDeadline: Number(values['renew-deadline']),
  retryPeriod: Number(values['retry-period']),
  releaseOnCancel: true,
  ...(handsOver && { maxTerm: Number(values['max-term']), priority: Number(values.priority), drain: DRAIN }),
  onError: say,
});

async function work({ signal, fencingToken }: LeadershipTerm): Promise<void> {
  while (!signal.aborted) {
    await table.write(name, fencingToken, identity).catch(say);
    await sleep(50, undefined, { signal }).catch(() => undefined);
  }
  console.log('lost', identity, (signal.reason as TermEndedError).why);
  await table.write(name, fencingToken, identity).catch(say);
}

const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
for await (const term of elector.terms(stop.signal)) {
  console.log('leading', identity, term.fencingToken.toString());
  // Not awaited: the loop's iteration waits for the end of the term, while this late writer keeps running.
  void work(term);
  while (handsOver && term.atGoodPlace()) {
    await sleep(Math.random() * LONGEST_STEP, undefined, { signal: term.signal }).catch(() => undefined);
  }
}
process.exit(0);
