import { readFile } from 'node:fs/promises';
import { CoordinationClient, httpsTransport, inClusterConnection, LeaderElector } from '@coordination-apiserver/leader-election';

// In a pod nothing needs to be configured; elsewhere, by the environment.
const { SERVER, TOKEN, CA_FILE, NAMESPACE = 'default' } = process.env;
const connection = SERVER ? { server: SERVER, token: TOKEN, ca: await readFile(CA_FILE) } : inClusterConnection();

const elector = new LeaderElector({
  client: new CoordinationClient(httpsTransport(connection)).leases,
  namespace: connection.namespace ?? NAMESPACE,
  name: 'one-at-a-time',
  releaseOnCancel: true,
  onError: (error) => console.error('trying again:', error.message),
});

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());

for await (const term of elector.terms(stop.signal)) {
  console.log(`${term.identity} leads with fencing token ${term.fencingToken}`);
  while (term.isValid()) {
    await oneStepOfWork(term.fencingToken, term.signal);
  }
  console.log(`no longer: ${term.signal.reason.why}`);
}

async function oneStepOfWork(fencingToken, signal) {
  // Hand the token to whatever stores the result; see "Fencing".
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
}
