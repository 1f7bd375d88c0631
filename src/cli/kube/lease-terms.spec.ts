import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KubeClient } from '../../kube/kube-client.js';
import { termsOf } from './lease-terms.js';

const TERM = { spec: { holder: 'a', fencingToken: '7', from: null }, status: {} };
let items: readonly object[] = [];
let server: http.Server;
let client: KubeClient;
beforeAll(async () => {
  const list = () => ({ kind: 'List', items: items.map((item, at) => ({ metadata: { name: `t.${at}` }, ...item })) });
  server = http.createServer((_, response) => response.end(JSON.stringify(list())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new KubeClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('takes the terms of a lease', async () => {
  items = [TERM];
  expect(await termsOf(client, { namespace: 'default', name: 't' })).toMatchObject([TERM]);
});

it.each([
  ['nothing', {}],
  ['no status', { spec: TERM.spec }],
  ['a holder that is no text', { ...TERM, spec: { ...TERM.spec, holder: {} } }],
  ['a token that is no text', { ...TERM, spec: { ...TERM.spec, fencingToken: 7 } }],
  ['an end that is no text', { ...TERM, status: { until: {} } }],
])('refuses terms with %s in one line', async (_, item) => {
  items = [TERM, item];
  await expect(termsOf(client, { namespace: 'default', name: 't' })).rejects.toThrow('lists objects that are no terms');
});
