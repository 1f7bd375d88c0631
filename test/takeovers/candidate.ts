// A program that campaigns for many leases at once. SIGTERM makes it release those it holds and exit.
import { parseArgs } from 'node:util';
import { CoordinationClient } from '../../packages/kube-client/src/coordination-client.js';
import { httpsTransport } from '../../packages/kube-client/src/https-transport.js';
import { LeaderElector } from '../../packages/leader-election/src/leader-elector.js';

const { values } = parseArgs({
  options: { server: { type: 'string' }, token: { type: 'string' }, identity: { type: 'string' }, leases: { type: 'string' } },
});
const { server = '', token = '', identity = '', leases = '' } = values;
const requestOptions = () => ({ rejectUnauthorized: false });
const client = new CoordinationClient(httpsTransport({ server, token, requestOptions })).leases;
const stop = new AbortController();

/** Leads as long as it may. */
async function campaign(name: string): Promise<void> {
  const durations = { leaseDuration: 1_000, renewDeadline: 800, retryPeriod: 200 };
  const elector = new LeaderElector({ client, namespace: 'default', name, identity, ...durations, releaseOnCancel: true });
  for await (const term of elector.terms(stop.signal)) {
    if (!term.signal.aborted) await new Promise((ended) => term.signal.addEventListener('abort', ended, { once: true }));
  }
}

process.on('SIGTERM', () => stop.abort());
console.log('ready');
await Promise.all(leases.split(',').map(campaign));
process.exit(0);
