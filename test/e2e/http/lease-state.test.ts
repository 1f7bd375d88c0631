import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { forAllTests, forEachTest } from '../../support/for-tests.js';
import { connected } from '../../support/connected.js';
import { Auditor } from '../../../src/audit/auditor.js';
import { PolicyEvaluator } from '../../../src/audit/policy/audit-policy.js';
import { readPolicy } from '../../../src/audit/policy/read-policy.js';
import { openFixture } from '../../integration/storage/postgres-fixture.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, type Ask, ask } from '../../support/http-client.js';
import { allowing, grant } from '../../support/rights.js';
import { startServerProcess } from '../../support/server-process.js';
import { startTestServer } from '../../support/test-server.js';
import { EventCollector } from '../audit/recorded-events.js';

const NAMESPACES = '/api/v1/namespaces';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const SECRET = 'very-secret-password';
const TOKENS = ['admin-token,admin,admin,"system:masters"', 'ci-token,ci,ci,"system:masters"'];

interface Version {
  readonly version: number;
  readonly written: string;
  readonly writer: string;
  readonly serial: number | null;
  readonly lineage: string | null;
  readonly bytes: number;
}

const state = (serial: number, more: object = {}) => JSON.stringify({ version: 4, serial, lineage: '1f2e', outputs: {}, ...more }, null, 2);
const md5 = (text: string) => createHash('md5').update(text).digest('base64');
const info = (id: string) => ({ ID: id, Operation: 'OperationTypeApply', Info: '', Who: `me-${id}@host`, Version: '1.11', Path: '' });

/** One name's lock and state at a server. */
class Site {
  readonly #url: string;

  constructor(server: string, name: string) {
    this.#url = `${server}${LEASES}/${name}`;
  }

  lock = (id: string, query = ''): Promise<Answer> => ask(`${this.#url}/lock?${query}`, { method: 'PUT', body: info(id) });
  force = (): Promise<Answer> => ask(`${this.#url}/lock?force=true`, { method: 'DELETE' });
  lease = (more: Ask = {}): Promise<Answer> => ask(this.#url, more);
  get = (query = ''): Promise<Answer> => ask(`${this.#url}/state?${query}`);
  /** As Terraform does. */
  post = (body: string, id?: string, more: Ask = {}): Promise<Answer> =>
    ask(`${this.#url}/state${id === undefined ? '' : `?ID=${id}`}`, {
      method: 'POST',
      body,
      ...more,
      headers: { 'content-type': 'application/json', 'content-md5': md5(body), ...more.headers },
    });
  remove = (id?: string): Promise<Answer> => ask(`${this.#url}/state${id === undefined ? '' : `?ID=${id}`}`, { method: 'DELETE' });
  versions = async (): Promise<Version[]> => ((await this.get('versions')).json as unknown as { versions: Version[] }).versions;
}

describe('states at two replicas of the real program', () => {
  const options = { tokens: TOKENS, flags: ['--max-state-bytes=80000000'] };
  const first = forAllTests(() => startServerProcess(options));
  const servers = [first, forAllTests(() => startServerProcess({ ...options, databaseUrl: first.databaseUrl }))];
  const client = forAllTests(() =>
    connected({ connectionString: first.databaseUrl, options: '-c search_path=coordination_tables,coordination' }),
  );
  const site = (name: string, replica = 0): Site => new Site(servers[replica]?.url ?? '', name);

  test('each write under the lock is a version, which any replica reads and which can be restored', async () => {
    const [here, there] = [site('versions'), site('versions', 1)];
    expect((await here.get()).status).toBe(404);
    expect((await here.versions()).length).toBe(0);
    expect((await here.lock('1')).status).toBe(200);
    for (const serial of [1, 2, 3]) {
      expect(await [here, there][serial % 2]!.post(state(serial), '1')).toMatchObject({ status: 200, text: `${serial}\n` });
    }
    expect(await there.get()).toMatchObject({
      status: 200,
      text: state(3),
      headers: { 'content-type': 'application/json', 'content-md5': md5(state(3)), 'state-version': '3' },
    });
    expect(await here.get('version=1')).toMatchObject({ status: 200, text: state(1), headers: { 'state-version': '1' } });
    const own = { writer: 'admin', lineage: '1f2e', bytes: state(1).length };
    expect(await there.versions()).toMatchObject([
      { ...own, version: 3, serial: 3 },
      { ...own, version: 2, serial: 2 },
      { ...own, version: 1, serial: 1 },
    ]);
    const old = (await here.get('version=1')).text;
    expect((await here.post(old, '1', { headers: { authorization: 'Bearer ci-token' } })).text).toBe('4\n');
    expect((await there.get()).text).toBe(state(1));
    expect((await there.versions())[0]).toMatchObject({ version: 4, serial: 1, writer: 'ci' });
    // Sent again, as after an answer that was lost.
    expect((await there.post(old, '1')).text).toBe('4\n');
    expect((await there.versions()).length).toBe(4);
  });

  test('only the holder of the lock writes, and others are told who that is', async () => {
    const target = site('locked');
    await target.lock('1');
    const refused = { status: 423, json: info('1'), headers: { 'lease-holder': 'me-1@host_1' } };
    for (const id of [undefined, '2']) {
      expect(await target.post(state(1), id)).toMatchObject(refused);
      expect(await target.remove(id)).toMatchObject(refused);
    }
    expect((await target.get()).status).toBe(404);
    expect((await target.post(state(1), '1')).status).toBe(200);
    await target.force();
    expect((await target.post(state(2))).status).toBe(200); // -lock=false
    expect((await site('unlocked').post(state(1))).status).toBe(200); // there is no lease
    expect((await site('unlocked').lease()).status).toBe(404);
  });

  test('a body that says it is no JSON is not taken for a state', async () => {
    const target = site('types');
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain;application/json',
      'x',
    ]) {
      expect([type, (await target.post(state(1), undefined, { headers: { 'content-type': type } })).status]).toEqual([type, 415]);
    }
    for (const type of ['', 'application/json; charset=utf-8', 'Application/JSON']) {
      expect([type, (await target.post(state(1), undefined, { headers: { 'content-type': type } })).status]).toEqual([type, 200]);
    }
  });

  test('a lock that was forced open, and perhaps taken by somebody else, is lost', async () => {
    const target = site('forced');
    await target.lock('1');
    expect((await target.post(state(1), '1')).status).toBe(200);
    await target.force();
    expect(await target.post(state(2), '1')).toMatchObject({ status: 409, json: { message: expect.stringContaining('ID 1 is lost') } });
    await target.lock('2');
    expect(await target.post(state(2), '1')).toMatchObject({ status: 423, json: info('2') });
    expect((await target.post(state(3), '1', { method: 'PUT' })).status).toBe(423);
    expect((await target.post(state(3), '2', { method: 'PUT' })).status).toBe(200);
    expect(await target.lease({ method: 'DELETE' })).toMatchObject({ status: 200 });
    expect((await target.post(state(4), '2')).status).toBe(409);
    expect((await target.get()).text).toBe(state(3));
  });

  test('a lock that is late is its holder’s until somebody takes it', async () => {
    const target = site('late');
    await target.lock('1', 'duration=1s');
    await eventually(async () => (await target.post(state(1))).status === 200);
    expect((await target.post(state(2), '1')).status).toBe(200);
    await target.lock('2');
    expect((await target.post(state(3), '1')).status).toBe(423);
  });

  test('any holder of the lease can write by its name', async () => {
    const target = site('by-name');
    await ask(`${servers[0]?.url}${LEASES}/by-name/lock?holder=cron`, { method: 'PUT' });
    expect(await target.post(state(1), 'other')).toMatchObject({ status: 423, json: { ID: 'cron' } });
    expect((await target.post(state(1), 'cron')).status).toBe(200);
  });

  test('a list of versions turns no text of a terminal round', async () => {
    const turned = site('turned');
    const lineage = 'x\u202e\u2066y';
    await turned.lock('1');
    expect((await turned.post(state(1, { lineage }), '1')).status).toBe(200);
    expect((await turned.get('versions')).text).toContain('"lineage":"x\\u202e\\u2066y"');
    expect(await turned.versions()).toMatchObject([{ lineage }]);
  });

  test('of writers that race with those who force the lock, each stored under its own lock', async () => {
    const name = 'raced';
    const rounds = 12;
    const stored: string[] = [];
    const contend = async (who: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const target = site(name, who % 2);
        const id = `${who}-${round}`;
        await target.force();
        if ((await target.lock(id)).status !== 200) continue;
        const before = (await target.get()).json as { serial?: number };
        // Whoever writes has read the newest state, unless the lock was forced from it meanwhile: then its write is refused.
        const { status } = await target.post(state((before.serial ?? 0) + 1, { outputs: { id, round } }), id);
        expect([200, 409, 423]).toContain(status);
        if (status === 200) stored.push(id);
      }
    };
    await Promise.all([0, 1, 2, 3].map(contend));
    const versions = await site(name).versions();
    expect(versions.length).toBe(stored.length);
    // No update is lost: each follows from the one before.
    expect(versions.map(({ version, serial }) => [version, serial])).toEqual(
      versions.map((_, at) => [versions.length - at, versions.length - at]),
    );
  });

  test('a successor sees the state of a writer that still had the lock, and no other write is held up', async () => {
    const target = site('overtaken');
    await target.lock('1');
    await target.post(state(1), '1');
    await using other = await connected(servers[0]!.databaseUrl);
    // The writer, stopped between its check and its commit.
    const { rows } = await other.query<{ revision: string }>(
      `select revision from coordination_tables.objects where path = 'default/overtaken'`,
    );
    await other.query('begin');
    const change = 'select outcome from coordination.terraform_state_change($1, $2, $3, $4, 2, null, 100, 100, 20000000)';
    const { rows: outcome } = await other.query(change, ['default/overtaken', rows[0]?.revision, state(2), 'me']);
    expect(outcome).toEqual([{ outcome: 'stored' }]);

    expect((await target.force()).status).toBe(200);
    expect((await target.lock('2')).status).toBe(200);
    let read: Answer | undefined;
    const reading = site('overtaken', 1)
      .get()
      .then((answer) => (read = answer));
    await eventually(async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%terraform_state%'`,
      );
      return rowCount === 1;
    });
    expect(read).toBeUndefined();
    await other.query('commit');
    expect((await reading).text).toBe(state(2));
    // With the lease as it was before, it would be too late now.
    expect((await other.query(change, ['default/overtaken', rows[0]?.revision, state(3), 'me'])).rows).toEqual([{ outcome: 'moved' }]);
  });

  test('the newest hundred versions are kept', async () => {
    const target = site('many');
    for (let serial = 1; serial <= 103; serial++) expect((await target.post(state(serial))).status).toBe(200);
    const versions = await target.versions();
    expect([versions.length, versions[0]?.version, versions.at(-1)?.version]).toEqual([100, 103, 4]);
    expect((await target.get('version=3')).status).toBe(404);
    expect((await target.get('version=4')).text).toBe(state(4));
  }, 60_000);

  test('old versions give way to a new one where a namespace has no room, other states do not, and others have theirs', async () => {
    const target = site('large');
    const large = (serial: number) => state(serial, { outputs: { filling: `${serial}`.repeat(2_900_000) } });
    for (let serial = 1; serial <= 8; serial++) expect((await target.post(large(serial))).status).toBe(200);
    const kept = (await target.versions()).map(({ version }) => version);
    expect(kept[0]).toBe(8);
    expect(kept.length).toBeGreaterThan(4);
    expect(kept.length).toBeLessThan(7);
    expect((await target.get()).text).toBe(large(8));
    const more = await site('more').post(large(9));
    const limit = 'exceeded quota: max-state-percent-per-namespace=25 of max-state-bytes=80000000, states=10000; delete states of this';
    expect(more).toMatchObject({ status: 403, json: { message: expect.stringContaining(limit) } });
    const others = `${servers[0]?.url}${LEASES.replace('default', 'kube-system')}/x/state`;
    expect((await ask(others, { method: 'POST', body: large(9) })).status).toBe(200);
    expect((await ask(others, { method: 'DELETE' })).status).toBe(200);
    expect((await client.query(`select from terraform_state where path = 'default/more'`)).rowCount).toBe(0);
    const { rows } = await client.query(
      `select s.path from terraform_state s where (s.newest, s.bytes) is distinct from
         (select (max(version), sum(octet_length(data))) from terraform_state_version v where v.path = s.path)`,
    );
    expect(rows).toEqual([]);
    expect((await target.remove()).status).toBe(200);
  }, 60_000);

  test('a removed state leaves nothing behind, and its numbers begin again', async () => {
    const target = site('removed');
    expect((await target.remove()).status).toBe(404);
    await target.post(state(1));
    await target.post(state(2));
    expect(await target.remove()).toMatchObject({ status: 200, text: 'removed\n' });
    expect((await target.get()).status).toBe(404);
    expect((await client.query(`select from terraform_state_version where path = 'default/removed'`)).rowCount).toBe(0);
    expect((await target.post(state(3))).text).toBe('1\n');
  });

  test('bodies that are no state are refused, and their content appears nowhere', async () => {
    const target = site('refused');
    const outputs = { password: SECRET };
    for (const body of [SECRET, `["${SECRET}"]`, `{"password": "${SECRET}"`, `{"serial": "${SECRET}"}`]) {
      expect(await target.post(body)).toMatchObject({ status: 400, text: expect.not.stringContaining(SECRET) });
    }
    const wrongSum = await target.post(state(1, { outputs }), undefined, { headers: { 'content-md5': md5('{}') } });
    expect(wrongSum).toMatchObject({ status: 400, json: { message: expect.stringContaining('Content-MD5') } });
    expect((await target.post(state(1, { filling: 'x'.repeat(3 * 1024 * 1024) }))).status).toBe(413);
    expect((await target.get('version=0')).status).toBe(400);
    expect((await site('Upper').post(state(1))).status).toBe(400);
    expect((await site('refused').get()).status).toBe(404);
    expect((await target.post(state(1, { outputs }))).status).toBe(200);
    for (const server of servers) expect(server.output()).not.toContain(SECRET);
  });

  test('a dry run is refused and changes nothing', async () => {
    const url = `${servers[0]?.url}${LEASES}/dry/state`;
    expect((await ask(`${url}?dryRun=All`, { method: 'POST', body: state(1) })).status).toBe(400);
    expect((await ask(url)).status).toBe(404);
    await ask(url, { method: 'POST', body: state(1) });
    expect((await ask(`${url}?dryRun=All`, { method: 'DELETE' })).status).toBe(400);
    expect((await ask(url)).text).toBe(state(1));
  });

  test('a namespace takes its states with it', async () => {
    const url = servers[0]?.url ?? '';
    const namespaced = `${url}${LEASES.replace('default', 'short-lived')}/x/state`;
    const post = () => ask(namespaced, { method: 'POST', body: state(1) });
    expect((await post()).status).toBe(404);
    await ask(`${url}${NAMESPACES}`, { method: 'POST', body: { metadata: { name: 'short-lived' } } });
    expect((await post()).status).toBe(200);
    await ask(`${url}${NAMESPACES}/short-lived`, { method: 'DELETE' });
    await eventually(async () => (await ask(`${url}${NAMESPACES}/short-lived`)).status === 404);
    expect((await ask(namespaced)).status).toBe(404);
    expect((await client.query(`select from terraform_state where path like 'short-lived/%'`)).rowCount).toBe(0);
  });

  test('only by these methods', async () => {
    const url = `${servers[0]?.url}${LEASES}/x/state`;
    for (const method of ['LOCK', 'PATCH']) {
      expect(await ask(url, { method, body: {} })).toMatchObject({
        status: 405,
        json: { message: expect.stringContaining('update_method') },
      });
    }
    expect((await ask(`${url}/x`)).status).toBe(404);
  });
});

test('requests for states wait for their turn, unread and without a seat, ten of a user at once, and none is refused', async () => {
  await using server = await startServerProcess({ tokens: ['admin-token,admin,admin,"system:masters"', 'carol-token,carol,carol'] });
  await using client = await connected({ connectionString: server.databaseUrl, options: '-c search_path=coordination_tables' });
  await grant(server.url, 'carol', [{ apiGroups: ['coordination.k8s.io'], resources: ['leases', 'leases/state'], verbs: ['*'] }]);
  const carol = { headers: { authorization: 'Bearer carol-token' } };
  const metric = async (series: string) => {
    const { text } = await ask(`${server.url}/metrics`);
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  };
  const url = `${server.url}${LEASES}/x/state`;
  expect((await ask(url, { method: 'POST', body: state(1), ...carol })).status).toBe(200);
  await client.query('begin');
  await client.query('select from terraform_state for update');
  const statuses: number[] = [];
  const all = Array.from({ length: 200 }, async (_, at) => {
    const body = at % 2 ? state(at, { outputs: { filling: 'x'.repeat(600_000) } }) : undefined;
    statuses.push((await ask(url, { method: body ? 'POST' : 'GET', body, ...carol })).status);
  });
  await eventually(async () => (await metric('coordination_connections')) > 200);
  expect((await ask(`${server.url}${LEASES}/none`, carol)).status).toBe(404);
  // Of 60 MB, for which this user's connections would be cut off.
  expect(await metric('coordination_held_bytes{kind="reads"}')).toBeLessThan(30_000_000);
  expect(statuses).toEqual([]);
  await client.query('commit');
  await Promise.all(all);
  expect(statuses).toEqual(Array(200).fill(200));
}, 60_000);

describe('states at a server of this process', () => {
  const fixture = forEachTest(() => openFixture(1));

  test('need the rights of a subresource: get, create and delete', async () => {
    const authorizer = allowing({
      alice: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases/state'], verbs: ['get', 'create', 'delete'] }],
      bob: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }],
      carol: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases/state'], verbs: ['get'] }],
    });
    const [store] = fixture.stores;
    await using server = await startTestServer({
      authorizer,
      store: await fixture.cache(store!),
      states: store?.states,
      tokens: ['carol-token,carol,carol'],
    });
    const as = async (user: string, method: string) => {
      const body = method === 'POST' ? state(1) : undefined;
      return (await ask(`${server.url}${LEASES}/x/state`, { method, body, headers: { authorization: `Bearer ${user}-token` } })).status;
    };
    for (const method of ['GET', 'POST', 'DELETE']) expect(await as('bob', method)).toBe(403);
    expect([await as('carol', 'GET'), await as('carol', 'POST'), await as('carol', 'DELETE')]).toEqual([404, 403, 403]);
    expect([await as('alice', 'POST'), await as('carol', 'GET'), await as('alice', 'DELETE')]).toEqual([200, 200, 200]);
  });

  test('cannot record a writer, or be in a namespace, whose name PostgreSQL cannot store: 400', async () => {
    const [store] = fixture.stores;
    await using server = await startTestServer({
      store: await fixture.cache(store!),
      states: store?.states,
      tokens: ['nul-token,n\0l,nul,system:masters'],
    });
    const nul = { authorization: 'Bearer nul-token' };
    const refused = await ask(`${server.url}${LEASES}/x/state`, { method: 'POST', body: state(1), headers: nul });
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('U+0000')]);
    for (const namespace of ['%00', 'a%00b', '%ed%a0%80', '%e2%80%a8', 'X']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/x/state`;
        const { status } = await ask(`${server.url}${path}`, { method, body: method === 'POST' ? state(1) : undefined });
        expect([namespace, method, status]).toEqual([namespace, method, 400]);
      }
    }
  });

  test('no audit record and no line of the log has anything of a state, whatever the policy and level', async () => {
    const collector = new EventCollector();
    const { policy } = readPolicy('{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}');
    const auditor = new Auditor({ policy: new PolicyEvaluator(policy), backend: collector, now: () => Date.now() });
    const log: string[] = [];
    const [store] = fixture.stores;
    const server = await startTestServer({ auditor, store: await fixture.cache(store!), states: store?.states, log, logLevel: 'trace' });
    const target = new Site(server.url, 'audited');
    const outputs = { password: SECRET };
    const asks = [
      await target.post(`{"password": "${SECRET}"`),
      await target.post(state(1, { outputs })),
      await target.get(),
      await target.get('versions'),
      await target.lock('1'),
      await target.post(state(2, { outputs })),
      await target.force(),
      await target.remove(),
    ];
    await server.close();
    expect(asks.map(({ status }) => status)).toEqual([400, 200, 200, 200, 200, 423, 200, 200]);
    expect(collector.lines.filter((line) => line.includes('leases/audited/state')).length).toBeGreaterThan(10);
    for (const line of [...collector.lines, ...log]) expect(line).not.toContain(SECRET);
  });

  test('a server without a database has no states', async () => {
    await using server = await startTestServer();
    expect((await ask(`${server.url}${LEASES}/x/state`)).status).toBe(404);
  });
});
