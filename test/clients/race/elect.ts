// The counterpart in TypeScript of test/clients/go/elect: campaigns until it is killed and prints "leading ID TOKEN" and "lost ID".
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CoordinationClient } from '../../../packages/kube-client/src/coordination-client.js';
import { httpsTransport } from '../../../packages/kube-client/src/https-transport.js';
import { LeaderElector } from '../../../packages/leader-election/src/leader-elector.js';

const text = { type: 'string', default: '' } as const;
const { values } = parseArgs({ options: { server: text, token: text, 'ca-file': text, name: text, identity: text } });

const elector = new LeaderElector({
  client: new CoordinationClient(httpsTransport({ server: values.server, token: values.token, ca: readFileSync(values['ca-file']) }))
    .leases,
  namespace: 'default',
  name: values.name,
  identity: values.identity,
  leaseDuration: 3000,
  renewDeadline: 2000,
  retryPeriod: 500,
  onError: (error) => console.log('error', (error as Error).message),
});

for await (const { identity, fencingToken, signal } of elector.terms()) {
  console.log('leading', identity, fencingToken.toString());
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  console.log('lost', identity);
}
