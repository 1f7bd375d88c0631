import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { forAllTests } from '../../support/for-tests.js';
import { type Answer, type Ask, ask, Http2Client } from '../../support/http-client.js';
import { allowing } from '../../support/rights.js';
import { scrapeUntil } from '../../support/scrape.js';
import { startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const bearer = (user: string): Ask => ({ headers: { authorization: `Bearer ${user}-token` } });

const server = forAllTests(() => startTestServer({ settings: { maxWatchesPerUser: 3 } }));

const url = (path: string): string => `${server.url}${LEASES}/${path}`;
const lock = (name: string, query: string, more: Ask = {}): Promise<Answer> =>
  ask(url(`${name}/lock?${query}`), { method: 'PUT', ...more });
const unlock = (name: string, query: string, more: Ask = {}): Promise<Answer> =>
  ask(url(`${name}/lock?${query}`), { method: 'DELETE', ...more });
const specOf = async (name: string): Promise<Record<string, unknown>> => (await ask(url(name))).json['spec'] as Record<string, unknown>;

describe('a lock by PUT and DELETE', () => {
  test('is a Lease, and its token grows with every term', async () => {
    const first = await lock('plain', 'holder=one&duration=90s');
    expect(first).toMatchObject({ status: 200, text: `${String(first.headers['lease-token'])}\n`, headers: { 'lease-holder': 'one' } });
    expect(await specOf('plain')).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 90, leaseTransitions: 0 });
    expect((await ask(url('plain'))).json['metadata']).toMatchObject({ resourceVersion: first.headers['lease-token'] });
    expect(await unlock('plain', 'holder=one')).toMatchObject({ status: 200, text: 'free\n' });
    expect(await specOf('plain')).toMatchObject({ holderIdentity: '' });
    const second = await lock('plain', 'holder=two');
    expect(Number(second.headers['lease-token'])).toBeGreaterThan(Number(first.headers['lease-token']));
    expect(await specOf('plain')).toMatchObject({ holderIdentity: 'two', leaseDurationSeconds: 60, leaseTransitions: 1 });
  });

  test('is refused with the name of the holder, who renews it and alone may free it', async () => {
    await lock('held', 'holder=one');
    const { acquireTime } = await specOf('held');
    expect(await lock('held', 'holder=two')).toMatchObject({ status: 423, text: 'one holds it\n', headers: { 'lease-holder': 'one' } });
    expect((await unlock('held', 'holder=two')).status).toBe(423);
    expect((await lock('held', 'holder=one&duration=2m')).status).toBe(200);
    expect(await specOf('held')).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 120, acquireTime, leaseTransitions: 0 });
    expect(await unlock('held', '')).toMatchObject({ status: 400, json: { message: expect.stringContaining('force=true') } });
    expect((await unlock('held', 'force=true')).status).toBe(200);
    expect(await specOf('held')).toMatchObject({ holderIdentity: '' });
  });

  test('a holder that would forge lines of a terminal is spelt out in the text', async () => {
    const holder = 'x\u001b[2K\rfree\nnobody holds it\u202egnp\u0000';
    expect((await lock('forged', `holder=${encodeURIComponent(holder)}`)).status).toBe(200);
    const { status, text } = await lock('forged', 'holder=two');
    expect([status, text]).toEqual([423, 'x\\u{1b}[2K\\u{d}free\\u{a}nobody holds it\\u{202e}gnp\\u{0} holds it\n']);
  });

  test('is free once it has expired, whoever held it', async () => {
    const old = { holderIdentity: 'client-go', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' };
    await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name: 'old', managedFields: [] }, spec: old } });
    // Its clock is wrong: the server has just received the renewal.
    expect((await lock('old', 'holder=me')).status).toBe(423);
    await lock('short', 'holder=one&duration=1s');
    expect(await lock('short', 'holder=two&wait=30s')).toMatchObject({ status: 200 });
    expect(await specOf('short')).toMatchObject({ holderIdentity: 'two' });
  });

  test.each([
    ['x', 'duration=5s', 'holder is missing'],
    ['x', 'holder=me&duration=soon', 'invalid duration'],
    ['X', 'holder=me', 'Invalid value'],
  ])('%s?%s is refused', async (name, query, message) => {
    const { status, json } = await lock(name, query);
    expect([status, json.message]).toEqual([expect.any(Number), expect.stringContaining(message)]);
    expect([400, 422]).toContain(status);
  });

  test('cannot be taken where coordinated leader election chooses the holder', async () => {
    const spec = { strategy: 'OldestEmulationVersion' };
    await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name: 'coordinated' }, spec } });
    expect(await lock('coordinated', 'holder=me')).toMatchObject({ status: 409 });
  });

  test('a waiter with a greater priority is told to the holder, and gets the lock before others', async () => {
    await lock('preferred', 'holder=low&priority=1');
    const same = await lock('preferred', 'holder=same&priority=1');
    expect([same.status, (await lock('preferred', 'holder=low&priority=1')).headers['lease-preferred-holder']]).toEqual([423, undefined]);
    const high = lock('preferred', 'holder=high&priority=2&wait=30s');
    const told = await eventually(
      async () => (await lock('preferred', 'holder=low&priority=1')).headers['lease-preferred-holder'] as string | undefined,
      () => 'the holder is not told',
    );
    expect(told).toBe('high');
    expect((await specOf('preferred')).strategy).toBeUndefined();
    await unlock('preferred', 'holder=low');
    expect(await high).toMatchObject({ status: 200, headers: { 'lease-holder': 'high' } });
    const renewed = await lock('preferred', 'holder=high&priority=2');
    expect([renewed.status, renewed.headers['lease-preferred-holder']]).toEqual([200, undefined]);
  });

  test('is left to the preferred one for a retry, also if that one does not wait', async () => {
    await lock('yielded', 'holder=low&priority=1');
    expect((await lock('yielded', 'holder=high&priority=2')).status).toBe(423);
    await unlock('yielded', 'holder=low');
    expect(await lock('yielded', 'holder=low&priority=1')).toMatchObject({
      status: 423,
      text: 'high is to have it\n',
      headers: { 'lease-holder': 'high' },
    });
    expect(await lock('yielded', 'holder=low&priority=1&wait=30s')).toMatchObject({ status: 200 });
  });

  test('a holder without a priority is not asked', async () => {
    await lock('unasked', 'holder=plain');
    expect((await lock('unasked', 'holder=high&priority=2')).status).toBe(423);
    expect((await ask(url('unasked'))).json['metadata']).not.toHaveProperty('annotations');
  });

  test('is not tried by a dry run, whose answer would claim the lock', async () => {
    expect(await lock('dry', 'holder=me&dryRun=All')).toMatchObject({ status: 400 });
    expect((await ask(url('dry'))).status).toBe(404);
  });

  test('is not had under a name that is not UTF-8, which would be stored as that of others', async () => {
    for (const holder of ['%ff', '%fe']) expect(await lock('bytes', `holder=${holder}`)).toMatchObject({ status: 400 });
    expect((await ask(url('bytes'))).status).toBe(404);
  });

  test('only by these methods, and not below a lease that is missing', async () => {
    for (const method of ['GET', 'POST']) {
      expect(await ask(url('plain/lock'), { method })).toMatchObject({
        status: 405,
        json: { message: expect.stringContaining('lock_method') },
      });
    }
    expect((await ask(url('plain'), { method: 'LOCK' })).status).toBe(405);
    expect((await unlock('missing', 'holder=me')).status).toBe(404);
    expect((await lock('x', 'holder=me', { ...bearer('nobody') })).status).toBe(401);
  });
});

describe('a wait', () => {
  const waiting = (count: number): Promise<void> => scrapeUntil(server.url, `coordination_lock_waiting_requests ${count}`);

  test('ends when the lock is free, in order of arrival, over HTTP/1.1 and HTTP/2', async () => {
    await lock('queue', 'holder=first');
    const served: string[] = [];
    const client = new Http2Client(server.url);
    const wait = async (holder: string, http2: boolean): Promise<void> => {
      const query = `queue/lock?holder=${holder}&wait=30s`;
      const { status } = http2 ? await client.ask(`${LEASES}/${query}`, { method: 'PUT' }) : await ask(url(query), { method: 'PUT' });
      served.push(`${holder} ${status}`);
      await unlock('queue', `holder=${holder}`);
    };
    const all: Promise<void>[] = [];
    for (const [at, holder] of ['a', 'b', 'c'].entries()) {
      all.push(wait(holder, at === 1));
      await waiting(at + 1);
    }
    await unlock('queue', 'holder=first');
    await Promise.all(all);
    client.close();
    expect(served).toEqual(['a 200', 'b 200', 'c 200']);
    await waiting(0);
  });

  test('is over after its time, with 423', async () => {
    await lock('taken', 'holder=one');
    expect(await lock('taken', 'holder=two&wait=300ms')).toMatchObject({
      status: 423,
      headers: { 'lease-holder': 'one', 'retry-after': '1' },
    });
  });

  test('of more requests than a user may have watches is refused', async () => {
    await lock('crowded', 'holder=one');
    const waiters = Array.from({ length: 4 }, (_, at) => lock('crowded', `holder=w${at}&wait=1s`, bearer('alice')));
    const statuses = (await Promise.all(waiters)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([423, 423, 423, 429]);
  });

  test('needs no seat, is no slow request, and ends with the server', async () => {
    const log: string[] = [];
    const limits = { enablePriorityAndFairness: false, maxRequestsInflight: 0, maxMutatingRequestsInflight: 10 };
    const busy = await startTestServer({ settings: { ...limits, slowRequestThreshold: 50 }, log });
    const at = (holder: string, wait: string) => `${busy.url}${LEASES}/seats/lock?holder=${holder}&wait=${wait}`;
    await ask(at('one', '0s'), { method: 'PUT' });
    const waiters: Promise<Answer>[] = [];
    for (let number = 0; number < 12; number++) {
      waiters.push(ask(at(`w${number}`, '30s'), { method: 'PUT', ...bearer('alice') }));
      await scrapeUntil(busy.url, `coordination_lock_waiting_requests ${number + 1}`);
    }
    expect((await ask(at('one', '0s'), { method: 'PUT', ...bearer('bob') })).status).toBe(200);
    const closed = busy.close();
    expect(new Set((await Promise.all(waiters)).map(({ status }) => status))).toEqual(new Set([423]));
    await closed;
    expect(log.filter((line) => line.includes('slow request') && line.includes('"user":"alice"'))).toEqual([]);
  });
});

describe('Terraform’s protocol', () => {
  /** Node.js leaves out the length of a DELETE's body. */
  const free = (id: string): Promise<Answer> => {
    const body = JSON.stringify(info(id));
    return unlock('state', '', { body, headers: { 'content-type': 'application/json', 'content-length': String(body.length) } });
  };
  const info = (id: string) => ({ ID: id, Operation: 'OperationTypeApply', Info: '', Who: `me-${id}@host`, Version: '1.9', Path: '' });

  test('the second one learns who holds the lock, until it is unlocked', async () => {
    expect((await lock('state', '', { body: info('1') })).status).toBe(200);
    expect(await specOf('state')).toMatchObject({ holderIdentity: 'me-1@host_1', leaseDurationSeconds: 2147483647 });
    expect(await lock('state', '', { body: info('2') })).toMatchObject({ status: 423, json: info('1') });
    expect(await free('2')).toMatchObject({ status: 423, json: info('1') });
    expect((await free('1')).status).toBe(200);
    expect((await lock('state', 'duration=1h', { body: info('2') })).status).toBe(200);
    expect(await specOf('state')).toMatchObject({ holderIdentity: 'me-2@host_2', leaseDurationSeconds: 3600 });
    // `terraform force-unlock` sends no body, and its sum
    expect((await unlock('state', '', { headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } })).status).toBe(200);
    const forced = { 'coordination-apiserver/forced-open': expect.stringMatching(/^\d{4}-.+Z admin$/) };
    expect((await ask(url('state'))).json.metadata?.annotations).toEqual(forced);
    expect((await lock('state', 'holder=next')).status).toBe(200);
    expect((await unlock('state', 'holder=next&force=true')).status).toBe(200);
    expect((await ask(url('state'))).json.metadata).not.toHaveProperty('annotations');
  });

  test('`tofu force-unlock` names the ID alone', async () => {
    await lock('forced', '', { body: info('1') });
    const force = (id: string): Promise<Answer> => {
      const body = JSON.stringify({ ID: id, Operation: '', Info: '', Who: '', Version: '' });
      return unlock('forced', '', { body, headers: { 'content-length': String(body.length) } });
    };
    expect((await force('2')).status).toBe(423);
    expect((await force('1')).status).toBe(200);
    expect(await specOf('forced')).toMatchObject({ holderIdentity: '' });
  });

  const http2 = async (target: string, options: Ask): Promise<Answer> => {
    const client = new Http2Client(server.url);
    const answer = await client.ask(new URL(target).pathname, options);
    client.close();
    return answer;
  };
  test.each<[string, number, (path: string, body: string) => Promise<Answer>]>([
    ['in chunks', 423, (path, body) => ask(url(path), { method: 'DELETE', body, headers: { 'transfer-encoding': 'chunked' } })],
    ['over HTTP/2', 423, (path, body) => http2(url(path), { method: 'DELETE', body })],
    // As node:http sends it by default, it is no body: the bytes stand where the next request should begin.
    ['without any framing', 400, (path, body) => ask(url(path), { method: 'DELETE', body })],
  ])('an unlocking whose body comes %s, without its length, frees nobody else’s lock', async (_, status, send) => {
    await lock('unannounced', '', { body: info('1') });
    expect((await send('unannounced/lock', JSON.stringify(info('2')))).status).toBe(status);
    expect(await specOf('unannounced')).toMatchObject({ holderIdentity: 'me-1@host_1' });
    if (status === 423) expect((await send('unannounced/lock', JSON.stringify(info('1')))).status).toBe(200);
  });

  test.each([
    ['HTTP/1.1', ask],
    ['HTTP/2', http2],
  ])('LOCK and UNLOCK, which Terraform sends unless told otherwise, are PUT and DELETE over %s', async (_, send) => {
    const as = (method: string, id: string) => send(url('own-methods/lock'), { method, body: info(id) });
    expect(await as('LOCK', '1')).toMatchObject({ status: 200, headers: { 'lease-token': expect.any(String) } });
    expect(await as('LOCK', '2')).toMatchObject({ status: 423, json: info('1') });
    expect((await as('UNLOCK', '2')).status).toBe(423);
    expect((await as('UNLOCK', '1')).status).toBe(200);
    expect(await specOf('own-methods')).toMatchObject({ holderIdentity: '' });
  });

  test('another kind of holder is described, too', async () => {
    await lock('mixed', 'holder=cron');
    expect(await lock('mixed', '', { body: info('3') })).toMatchObject({ status: 423, json: { ID: 'cron', Who: 'cron' } });
  });
});

test('rights are those of a subresource: update and create, and delete', async () => {
  const authorizer = allowing({
    alice: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases/lock'], verbs: ['create', 'update', 'delete'] }],
    bob: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }],
    carol: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases/lock'], verbs: ['update'] }],
  });
  await using guarded = await startTestServer({ authorizer, tokens: ['carol-token,carol,carol'] });
  const as = (user: string, method: string, name = 'x') =>
    ask(`${guarded.url}${LEASES}/${name}/lock?holder=me`, { method, ...bearer(user) });
  for (const [name, take, free] of [
    ['x', 'PUT', 'DELETE'],
    ['y', 'LOCK', 'UNLOCK'],
  ] as const) {
    expect((await as('bob', take, name)).status).toBe(403);
    expect((await as('carol', take, name)).status).toBe(403); // it would create the lease
    expect((await as('alice', take, name)).status).toBe(200);
    expect((await as('carol', take, name)).status).toBe(200);
    expect((await as('carol', free, name)).status).toBe(403);
    expect((await as('alice', free, name)).status).toBe(200);
  }
});
