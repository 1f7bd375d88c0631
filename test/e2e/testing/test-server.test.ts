import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer } from '../../../src/testing/start-test-server.js';
import type { TestServer } from '../../../src/testing/test-server.js';
import { eventually } from '../../support/eventually.js';
import { type Ask, ask, Http2Client } from '../../support/http-client.js';
import { WatchClient } from '../../support/watch-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const request = (path: string, { headers, ...rest }: Ask = {}) =>
  ask(server.url + path, { ...rest, headers: { authorization: `Bearer ${server.token}`, ...headers } });
const create = (name: string, spec: object = {}) => request(LEASES, { method: 'POST', body: { metadata: { name }, spec } });
const termsOf = async (name: string) =>
  ((await request(`${TERMS}?fieldSelector=spec.leaseName=${name}`)).json.items ?? []).map(({ spec, status }) => [
    (spec as { holder?: string } | undefined)?.holder,
    status,
  ]);
const renewedNow = () => new Date(Date.now()).toISOString().replace('Z', '000Z');

describe('the clock', () => {
  it('moves leases, terms and their lapses', async () => {
    await create('led', { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: renewedNow() });
    await server.moveClock('20s');
    expect(await termsOf('led')).toEqual([['a', expect.objectContaining({ phase: 'Held', lapsed: true, lapses: 1 })]]);
    await server.takeOver({ name: 'led', holder: 'b' });
    expect(await termsOf('led')).toEqual([
      ['b', { phase: 'Held' }],
      ['a', expect.objectContaining({ phase: 'Ended', reason: 'Expired', lapsed: true })],
    ]);
  });

  it('moves the elections of candidates', async () => {
    const candidates = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';
    const serverTime = async () => (await server.moveClock(0)).now.replace('Z', '000Z');
    const spec = { leaseName: 'elected', binaryVersion: '1.0.0', emulationVersion: '1.0.0', strategy: 'OldestEmulationVersion' };
    const renewed = { ...spec, renewTime: await serverTime() };
    expect((await request(candidates, { method: 'POST', body: { metadata: { name: 'c1' }, spec: renewed } })).status).toBe(201);
    await eventually(async () => {
      await server.moveClock('1s');
      return (await request(`${LEASES}/elected`)).json.spec?.holderIdentity === 'c1';
    });
  });

  it('moves the lifetimes of tokens', async () => {
    await request('/api/v1/namespaces/default/serviceaccounts', { method: 'POST', body: { metadata: { name: 'worker' } } });
    const asked = await request('/api/v1/namespaces/default/serviceaccounts/worker/token', {
      method: 'POST',
      body: { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: { expirationSeconds: 600 } },
    });
    const authorization = `Bearer ${(asked.json.status as { token: string }).token}`;
    expect((await request(LEASES, { headers: { authorization } })).status).toBe(200);
    await server.moveClock('11m');
    expect((await request(LEASES, { headers: { authorization } })).status).toBe(401);
  });

  it('frees locks, and ends the waits for them', async () => {
    expect((await request(`${LEASES}/lock/lock?holder=a&duration=10s`, { method: 'PUT' })).status).toBe(200);
    const waiting = request(`${LEASES}/lock/lock?holder=b&wait=30s`, { method: 'PUT' });
    await eventually(async () => (await server.requests({ resource: 'leases/lock' })).length === 2);
    await server.moveClock('12s');
    expect((await waiting).status).toBe(200);
  });
});

describe('leases', () => {
  it('are taken over, freed, expired and deleted', async () => {
    expect(await server.takeOver({ name: 'one', holder: 'a' })).toMatchObject({ holder: 'a', token: expect.stringMatching(/^\d+$/) });
    expect((await request(`${LEASES}/one`)).json.spec).toMatchObject({
      holderIdentity: 'a',
      leaseTransitions: 1,
      leaseDurationSeconds: 15,
    });
    expect(await server.release({ name: 'one' })).toMatchObject({ holder: '' });
    await server.takeOver({ name: 'one' });
    const before = Date.parse((await server.moveClock(0)).now);
    expect(Date.parse((await server.expire({ name: 'one' })).now) - before).toBeGreaterThan(14_000);
    expect(await termsOf('one')).toContainEqual(['somebody-else', expect.objectContaining({ lapsed: true })]);
    await server.deleteLease({ name: 'one' });
    expect((await request(`${LEASES}/one`)).status).toBe(404);
  });

  it('that are expired have lapsed, also where a server that has just started judges them, late in a second', async () => {
    const started = await startTestServer();
    try {
      const { now } = await started.moveClock(0);
      await started.moveClock(1970 - (Date.parse(now) % 1000));
      await started.takeOver({ name: 'late' });
      await started.expire({ name: 'late' });
      const { json } = await ask(started.url + TERMS, { headers: { authorization: `Bearer ${started.token}` } });
      expect(json.items?.map(({ status }) => status)).toEqual([expect.objectContaining({ phase: 'Held', lapsed: true })]);
    } finally {
      await started.close();
    }
  });

  it('are awaited', async () => {
    const held = server.waitForHolder({ name: 'awaited', holder: 'me' });
    const free = server.waitForHolder({ name: 'awaited', holder: '', timeout: 5000 });
    expect(await free).toMatchObject({ holder: '' });
    await create('awaited', { holderIdentity: 'other' });
    await server.takeOver({ name: 'awaited', holder: 'me' });
    expect(await held).toMatchObject({ holder: 'me' });
    await expect(server.waitForHolder({ name: 'awaited', holder: 'you', timeout: '20ms' })).rejects.toThrow(
      'lease "awaited" is held by "me", not by "you"',
    );
  });
});

describe('faults', () => {
  it.each([401, 403, 404, 409, 410, 429, 500, 503, 504] as const)('refuse the next requests that match with %d', async (status) => {
    await server.addFault({ verb: 'get', resource: 'leases', name: 'x', status, count: 2 });
    expect((await request(`${LEASES}/y`)).status).toBe(404);
    for (let i = 0; i < 2; i++) expect((await request(`${LEASES}/x`)).json).toMatchObject({ kind: 'Status', code: status });
    expect(await server.faults()).toEqual([]);
  });

  it('name the time after which to try again', async () => {
    await server.addFault({ status: 429 });
    await server.addFault({ status: 503, retryAfter: 7 });
    expect((await request(LEASES)).headers['retry-after']).toBe('1');
    expect((await request(LEASES)).headers['retry-after']).toBe('7');
  });

  it('refuse nothing of other users', async () => {
    await server.addFault({ verb: 'write', user: 'system:serviceaccount:default:worker', status: 403 });
    expect((await create('allowed')).status).toBe(201);
    const asWorker = { 'impersonate-user': 'system:serviceaccount:default:worker' };
    expect((await request(LEASES, { method: 'POST', body: { metadata: { name: 'also' } }, headers: asWorker })).status).toBe(201);
  });

  it('cut the connection before the write, or after it', async () => {
    await server.addFault({ verb: 'create', cut: 'before' });
    await expect(create('before')).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect((await request(`${LEASES}/before`)).status).toBe(404);
    await server.addFault({ verb: 'create', cut: 'after' });
    await expect(create('after')).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect((await request(`${LEASES}/after`)).status).toBe(200);
    const http2 = new Http2Client(server.url);
    await server.addFault({ verb: 'create', cut: 'after' });
    const headers = { authorization: `Bearer ${server.token}` };
    const cut = http2.ask(LEASES, { method: 'POST', body: { metadata: { name: 'after2' } }, headers });
    await Promise.race([cut.catch(() => undefined), new Promise((resolve) => http2.session.once('close', resolve))]);
    expect((await request(`${LEASES}/after2`)).status).toBe(200);
    const cuts = (await server.requests({ verb: 'create' })).map(({ fault, status }) => [fault, status]);
    expect(cuts).toEqual([
      ['cut before', undefined],
      ['cut after', undefined],
      ['cut after', undefined],
    ]);
  });

  it('delay a request, or never answer it', async () => {
    await server.addFault({ delay: '150ms' });
    const began = performance.now();
    expect((await request(LEASES)).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(140);
    await server.addFault({ verb: 'create', hang: true });
    const hanging = request(LEASES, { method: 'POST', body: { metadata: { name: 'never' } } }).catch(() => 'gone');
    await eventually(async () => (await server.requests({ verb: 'create' })).length === 1);
    expect(await Promise.race([hanging, sleep(100, 'hangs')])).toBe('hangs');
    expect((await request(`${LEASES}/never`)).status).toBe(404);
  });

  it('are refused if they contradict themselves', async () => {
    await expect(server.addFault({ status: 409, cut: 'before' })).rejects.toThrow('exclude each other');
    await expect(server.addFault({ verb: 'get' })).rejects.toThrow('nothing is to happen');
    await expect(server.addFault({ status: 418 } as never)).rejects.toThrow('status must be one of');
    await expect(server.addFault({ stauts: 409 } as never)).rejects.toThrow('property stauts should not exist');
  });
});

describe('pauses', () => {
  it('let requests wait, and serve them afterwards', async () => {
    await server.pause();
    const waiting = create('patient');
    expect(await Promise.race([waiting, sleep(100, 'waits')])).toBe('waits');
    await server.resume();
    expect((await waiting).status).toBe(201);
  });

  it('let writes take longer', async () => {
    await server.slowStore('100ms');
    const began = performance.now();
    await create('slow');
    expect(performance.now() - began).toBeGreaterThan(90);
  });
});

describe('watches', () => {
  it('end, and go on where they ended', async () => {
    const watch = new WatchClient(`${server.url}${LEASES}?watch=true`, server.token);
    await watch.response;
    await create('seen');
    const [first] = await watch.count(1);
    await server.dropWatches();
    await watch.ended;
    await create('later');
    const again = new WatchClient(
      `${server.url}${LEASES}?watch=true&resourceVersion=${first?.object.metadata?.resourceVersion}`,
      server.token,
    );
    expect((await again.count(1))[0]?.object.metadata?.name).toBe('later');
    again.abort();
  });

  it('are answered with 410 after history has expired', async () => {
    const made = await create('old');
    await server.expireHistory();
    const watch = new WatchClient(`${server.url}${LEASES}?watch=true&resourceVersion=${made.json.metadata?.resourceVersion}`, server.token);
    expect((await watch.count(1))[0]).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect((await request(`${LEASES}/old`)).status).toBe(200);
  });

  it('are asked by GOAWAY to use new connections', async () => {
    const client = new Http2Client(server.url);
    const gone = new Promise((resolve) => client.session.once('goaway', resolve));
    await client.ask(LEASES, { headers: { authorization: `Bearer ${server.token}` } });
    await server.goaway();
    await gone;
    client.session.destroy();
  });
});

describe('the state', () => {
  it('returns to a snapshot by changes that watchers see', async () => {
    await create('kept', { holderIdentity: 'a' });
    await server.snapshot();
    const watch = new WatchClient(`${server.url}${LEASES}?watch=true`, server.token);
    await watch.count(1);
    await create('dropped');
    await server.takeOver({ name: 'kept', holder: 'b' });
    await server.reset();
    expect((await watch.count(5)).map(({ type, object }) => [type, object.metadata?.name, object.spec?.holderIdentity])).toEqual([
      ['ADDED', 'kept', 'a'],
      ['ADDED', 'dropped', undefined],
      ['MODIFIED', 'kept', 'b'],
      ['DELETED', 'dropped', undefined],
      ['MODIFIED', 'kept', 'a'],
    ]);
    watch.abort();
    expect(await termsOf('kept')).toEqual([['a', { phase: 'Held' }]]);
    // the term of the snapshot goes on
    await server.takeOver({ name: 'kept', holder: 'c' });
    expect(await termsOf('kept')).toEqual([
      ['c', { phase: 'Held' }],
      ['a', expect.objectContaining({ phase: 'Ended', reason: 'Replaced' })],
    ]);
    await server.deleteLease({ name: 'kept' });
    await server.snapshot();
  });

  it('tells which requests there were', async () => {
    await create('told');
    await request(`${LEASES}/told`, { headers: { 'user-agent': 'elector/1.0' } });
    expect(await server.requests({ userAgent: 'elector' })).toEqual([
      expect.objectContaining({ verb: 'get', resource: 'leases', namespace: 'default', name: 'told', user: 'admin', status: 200 }),
    ]);
  });
});

describe('orders over HTTP', () => {
  const order = (path: string, body?: object | string, headers = {}) => request(`/testing/${path}`, { method: 'POST', body, headers });

  it('do the same', async () => {
    expect((await order('leases/take-over', { name: 'http', holder: 'x' })).json).toMatchObject({ holder: 'x' });
    expect((await order('faults', { verb: 'get', status: 503 })).json).toMatchObject({ id: expect.any(Number), count: 1, status: 503 });
    expect((await request('/testing/faults')).json).toHaveLength(1);
    expect((await request('/testing/faults', { method: 'DELETE' })).status).toBe(204);
    expect((await request('/testing/requests?verb=list')).json).toEqual([]);
    expect((await order('reset')).status).toBe(204);
  });

  it('are refused with a Status that says why', async () => {
    expect((await order('clock', '{')).json).toMatchObject({ code: 400, message: expect.stringContaining('the body is no JSON') });
    expect((await order('clock', {})).json).toMatchObject({ code: 400, message: expect.stringContaining('by is missing') });
    for (const by of [{ toString: 1 }, ['1s'], true]) {
      expect((await order('clock', { by })).json).toMatchObject({ code: 400, message: expect.stringContaining('by must be a duration') });
    }
    expect((await order('clock', { by: '25h' })).json).toMatchObject({ code: 400, message: 'by must be from 0 to 86400s' });
    expect((await order('clock', { by: '1s', x: 1 })).json).toMatchObject({ code: 400, message: 'property x should not exist' });
    expect((await order('leases/expire', { name: 'absent' })).json).toMatchObject({ code: 404, reason: 'NotFound' });
    expect((await order('nonsense')).json).toMatchObject({ code: 404, message: expect.stringContaining('leases/take-over') });
    expect((await request('/testing/clock')).json).toMatchObject({ code: 405 });
    expect((await order('faults', { userAgent: 'x'.repeat(70_000), status: 500 })).status).toBe(413);
  });

  it('are for the admin alone', async () => {
    expect((await order('pause', {}, { 'impersonate-user': 'somebody' })).json).toMatchObject({ code: 403 });
    expect((await order('pause', {}, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect(await server.requests()).toEqual([]);
  });
});
