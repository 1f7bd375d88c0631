import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describe('writes that time out with 504 while another session holds the counter', () => {
  let server: ServerProcess;
  let client: pg.Client;

  beforeAll(async () => {
    server = await startServerProcess();
    client = new pg.Client(server.databaseUrl);
    client.on('error', () => undefined);
    await client.connect();
    for (const name of ['a', 'b', 'c']) {
      await ask(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name }, spec: { holderIdentity: 'before' } } });
    }
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  const patch = (name: string, timeout: string) =>
    ask(`${server.url}${LEASES}/${name}?timeout=${timeout}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { holderIdentity: 'after' } },
    });
  const holders = async () => {
    const { json } = await ask(`${server.url}${LEASES}`);
    const items = (json as { items?: { metadata: { name: string }; spec: { holderIdentity: string } }[] }).items ?? [];
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.holderIdentity]));
  };

  test('are not executed afterwards, whether already sent or still queued; a write with more time is', async () => {
    await client.query('begin; select * from revision_counter for update');
    const sent = patch('a', '1s');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const queued = [
      patch('b', '1s'),
      ask(`${server.url}${LEASES}/new?timeout=1s`, { method: 'PUT', body: { metadata: { name: 'new' }, spec: { holderIdentity: 'x' } } }),
    ];
    const patient = patch('c', '20s');
    for (const { status, json } of [await sent, ...(await Promise.all(queued))]) {
      expect([status, json.reason]).toEqual([504, 'Timeout']);
    }
    await client.query('commit');
    expect((await patient).status).toBe(200);
    // this write is queued behind all others
    expect((await patch('c', '20s')).status).toBe(200);
    expect(await holders()).toEqual({ a: 'before', b: 'before', c: 'after' });
  });
});
