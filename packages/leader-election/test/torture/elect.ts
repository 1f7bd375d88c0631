// The TypeScript counterpart of test/clients/go/elect: campaigns until it is killed and prints "leading ID TOKEN" and "lost ID WHY".
// A leader writes to the fenced table all the time, without checking whether it still leads, and once more after it has lost.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CoordinationClient } from '../../../kube-client/src/coordination-client.js';
import { httpsTransport } from '../../../kube-client/src/https-transport.js';
import { LeaderElector } from '../../src/leader-elector.js';
import type { LeadershipTerm, TermEndedError } from '../../src/leadership-term.js';
import { FencedTable } from './fenced-table.js';

const names = ['server', 'token', 'ca-file', 'name', 'identity', 'database'] as const;
const durations = { 'lease-duration': '3000', 'renew-deadline': '2000', 'retry-period': '500' };
const defaults = { ...Object.fromEntries(names.map((name) => [name, ''])), ...durations };
const { values } = parseArgs({
  options: Object.fromEntries(Object.entries(defaults).map(([name, text]) => [name, { type: 'string' as const, default: text }])),
});
const option = (name: (typeof names)[number] | keyof typeof durations) => String(values[name]);

const table = new FencedTable(option('database'));
const transport = httpsTransport({ server: option('server'), token: option('token'), ca: readFileSync(option('ca-file')) });
const elector = new LeaderElector({
  client: new CoordinationClient(transport).leases,
  namespace: 'default',
  name: option('name'),
  identity: option('identity'),
  leaseDuration: Number(option('lease-duration')),
  renewDeadline: Number(option('renew-deadline')),
  retryPeriod: Number(option('retry-period')),
  onError: (error) => console.log('error', (error as Error).message),
});

async function work(term: LeadershipTerm): Promise<void> {
  while (!term.signal.aborted) {
    await table.write(term.fencingToken, term.identity);
    await sleep(50, undefined, { signal: term.signal }).catch(() => undefined);
  }
  console.log('lost', term.identity, (term.signal.reason as TermEndedError).why);
  await table.write(term.fencingToken, term.identity);
}

for await (const term of elector.terms()) {
  console.log('leading', term.identity, term.fencingToken.toString());
  // Not awaited: the loop's iteration waits for the end of the term, while this late writer keeps running.
  work(term).catch((error: unknown) => console.log('error', (error as Error).message));
}
