import { forAllTests } from '../../support/for-tests.js';
import { Http2Client } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';
import type { WireObject } from '../../support/wire-object.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const COUNT = 700;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const FORMS = [
  'application/json',
  'application/yaml',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  TABLE,
  `application/json;${METADATA}`,
  `application/vnd.kubernetes.protobuf;${METADATA}`,
];
const nameOf = (index: number) => `long-${String(index).padStart(4, '0')}`;

const expected = new Set<string>();

const server = forAllTests(() => startTestServer());
const client = forAllTests(() => new Http2Client(server.url));
beforeAll(async () => {
  await Promise.all(Array.from({ length: COUNT }, (_, index) => put(nameOf(index))));
});

async function put(name: string): Promise<void> {
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: `holder-${Math.random()}` },
  };
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { status } = expected.has(name)
    ? await client.ask(`${LEASES}/${name}`, { method: 'PATCH', headers, body })
    : await client.ask(LEASES, { method: 'POST', body });
  expect(status).toBe(expected.has(name) ? 200 : 201);
  expected.add(name);
}

async function remove(name: string): Promise<void> {
  expect((await client.ask(`${LEASES}/${name}`, { method: 'DELETE' })).status).toBe(200);
  expected.delete(name);
}

/** The names in a list of any format, in order without repetitions; some formats contain a name more than once. */
async function namesIn(form: string, query = ''): Promise<string[]> {
  const { status, text } = await client.ask(LEASES + query, { headers: { accept: form } });
  expect(status).toBe(200);
  return [...new Set(Array.from(text.matchAll(/long-\d{4}/g), ([name]) => name))];
}

const inOrder = () => [...expected].sort();

/** Replaces, deletes and creates objects at both ends and in the middle. */
async function change(): Promise<void> {
  for (const index of [0, 17, 255, 256, 400, COUNT - 1]) if (expected.has(nameOf(index))) await put(nameOf(index));
  for (const index of [1, 18, 300, COUNT - 2]) if (expected.has(nameOf(index))) await remove(nameOf(index));
  for (const index of [9000, 9001]) await put(nameOf(index));
}

test.each(FORMS)('a list as %s has every object once and in order, before and after changes', async (form) => {
  expect(await namesIn(form)).toEqual(inOrder());
  expect(await namesIn(form)).toEqual(inOrder());
  await change();
  expect(await namesIn(form)).toEqual(inOrder());
});

test('items reflect the current objects', async () => {
  for (let round = 0; round < 3; round++) {
    await change();
    const { json } = await client.ask(LEASES);
    const items = json.items ?? [];
    for (const index of [0, 16, 17, 19, 256, items.length - 1]) {
      const item = items[index] as WireObject;
      const { kind: _kind, apiVersion: _apiVersion, ...object } = (await client.ask(`${LEASES}/${item.metadata?.name}`)).json;
      expect(item).toEqual(object);
    }
  }
});

test.each([7, 250, 333])('pages of %d together contain the whole list', async (limit) => {
  await change();
  const { json } = await client.ask(LEASES);
  const items: unknown[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const { json: page } = await client.ask(`${LEASES}?limit=${limit}&continue=${encodeURIComponent(token)}`);
    items.push(...(page.items ?? []));
    token = page.metadata?.continue;
  }
  expect(items).toEqual(json.items);
});
