import { leasesPath, leaseText, LeaseSession } from './lease-session.js';

/**
 * A process that sends requests as fast as possible, as one user: `flooder.ts URL TOKEN NAMESPACE CONNECTIONS STREAMS`. Each connection
 * always has `STREAMS` requests in progress; a rejected one is repeated immediately. On SIGTERM it prints how often each response was
 * received.
 */
const [url = '', token = '', namespace = '', connections = '1', streams = '1'] = process.argv.slice(2);
const leases = leasesPath(namespace);
const answers = new Map<string, number>();
let written = 0;

type Attack = (session: LeaseSession) => Promise<string>;

async function send(session: LeaseSession, kind: string, ...request: Parameters<LeaseSession['send']>): Promise<string> {
  const { status } = await session.send(...request);
  return `${kind} ${status}`;
}

const ATTACKS: readonly Attack[] = [
  (session) => send(session, 'list', 'GET', leases),
  (session) => send(session, 'selected list', 'GET', `${leases}?labelSelector=none&resourceVersion=0`),
  (session) => send(session, 'create', 'POST', leases, leaseText(`flood-${process.pid}-${written++}`)),
  (session) => send(session, 'patch', 'PATCH', `${leases}/lease-${written++ % 100}`, '{"spec":{"leaseTransitions":1}}'),
  (session) => send(session, 'update', 'PUT', `${leases}/lease-${written++ % 100}`, leaseText(`lease-${written % 100}`)),
  (session) => send(session, 'get', 'GET', `${leases}/lease-1`),
  (session) => send(session, 'forbidden path', 'GET', '/nowhere'),
  watch,
];

/** A watch that begins with all objects; it is read briefly or not at all. */
function watch(session: LeaseSession): Promise<string> {
  return new Promise((resolve) => {
    const stream = session.open('GET', `${leases}?watch=true`);
    stream.on('response', ({ ':status': status }) => {
      if (status !== 200 || Math.random() < 0.5) stream.resume();
      setTimeout(() => stream.close(), 200);
      stream.on('close', () => resolve(`watch ${status}`));
    });
    stream.on('error', () => resolve('watch failed'));
    stream.end();
  });
}

async function attack(session: LeaseSession, lane: number): Promise<void> {
  for (let i = lane; !session.session.destroyed && !session.session.closed; i++) {
    const answered = await ATTACKS[i % ATTACKS.length]?.(session);
    if (answered) answers.set(answered, (answers.get(answered) ?? 0) + 1);
  }
}

async function flood(): Promise<void> {
  for (;;) {
    const session = new LeaseSession(url, token);
    await Promise.all(Array.from({ length: Number(streams) }, (_, lane) => attack(session, lane)));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...answers].sort()))}\n`, () => process.exit(0));
});
process.stdout.write('flooding\n');
for (let i = 0; i < Number(connections); i++) void flood();
