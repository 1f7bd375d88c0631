import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, test } from 'node:test';
import { CoordinationClient, httpsTransport, LeaderElector } from '@coordination-apiserver/leader-election';
import { startTestServer } from '@coordination-apiserver/testing';

let server;
before(async () => (server = await startTestServer()));
afterEach(() => server.reset());
after(() => server.close());

const lease = { name: 'worker' };
const RENEWALS = { verb: 'update', resource: 'leases', name: 'worker' };

/** A candidate as in production, only faster. Yields its terms until the test stops it. */
function candidate(t, identity) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const elector = new LeaderElector({
    client: new CoordinationClient(httpsTransport({ server: server.url, token: server.token, ca: server.authority })).leases,
    ...{ namespace: 'default', name: 'worker', identity, leaseDuration: 1000, renewDeadline: 600, retryPeriod: 50, releaseOnCancel: true },
  });
  return { terms: elector.terms(stop.signal), stop: () => stop.abort() };
}

const nextTerm = async ({ terms }) => (await terms.next()).value;
const lost = ({ signal }) => signal.aborted || once(signal, 'abort');

test('lost while working: the work is told to stop', async (t) => {
  const term = await nextTerm(candidate(t, 'a'));
  await server.takeOver({ ...lease, holder: 'b' });
  await lost(term);
  assert.equal(term.isValid(), false);
});

test('slow renewal: a leader whose renewals hang stops before another one may start', async (t) => {
  const term = await nextTerm(candidate(t, 'a'));
  await server.addFault({ ...RENEWALS, hang: true, count: 100 });
  const began = performance.now();
  await lost(term);
  assert.ok(performance.now() - began < 1000, 'it led for longer than its lease lasts');
});

test('two candidates: the second one leads after the first has let go, with a greater token', async (t) => {
  const [first, second] = [candidate(t, 'a'), candidate(t, 'b')];
  const term = await nextTerm(first);
  const waiting = nextTerm(second);
  assert.equal((await server.waitForHolder(lease)).holder, 'a');
  first.stop();
  // the iterator ends its term, and with it the lease, once the work is over
  await first.terms.return?.();
  const next = await waiting;
  assert.equal(next.identity, 'b');
  assert.ok(next.fencingToken > term.fencingToken);
});

test('restart: a candidate that comes back under its old name leads again, in a new term', async (t) => {
  await server.takeOver({ ...lease, holder: 'a' });
  const before = await server.waitForHolder({ ...lease, holder: 'a' });
  const term = await nextTerm(candidate(t, 'a'));
  assert.ok(term.fencingToken > BigInt(before.token));
});

test('refusal: a renewal that is refused is tried again, and the term goes on', async (t) => {
  const term = await nextTerm(candidate(t, 'a'));
  await server.addFault({ ...RENEWALS, status: 409 });
  await server.addFault({ ...RENEWALS, status: 503 });
  await server.addFault({ ...RENEWALS, cut: 'after' });
  while ((await server.faults()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const seen = await server.requests(RENEWALS);
  while ((await server.requests(RENEWALS)).length < seen.length + 2) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(term.isValid(), true);
});
