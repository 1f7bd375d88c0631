import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import type { Lease } from '../../../src/apis/coordination/lease/lease.schema.js';
import { leaseDefinition } from '../../../src/apis/coordination/lease/lease.resource.js';
import type { KubeObject } from '../../../src/apimachinery/meta/object-meta.schema.js';
import { fieldManagerOf } from '../../../src/registry/objects/object-values.js';
import { StoredCodec } from '../../../src/registry/objects/stored-codec.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { storeUrl } from '../../support/store-url.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

/*
 * What the SQL functions store is compared, byte for byte, with what the server's own code makes of the same write: the encoded object with
 * the owners of its fields, and a log that reads as any other.
 */
const codec = new StoredCodec<Lease>(leaseDefinition);
const fieldManager = fieldManagerOf(leaseDefinition);
const keyOf = (name: string) => ({ resource: 'leases.coordination.k8s.io', namespace: 'default', name });

/** Leases with all kinds of metadata and owners; test/golden/smd/sequence.go made them. */
function goldenLeases(): Lease[] {
  const lines = readFileSync(path.resolve(import.meta.dirname, '../../golden/smd/vectors.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const objects = lines.flatMap((line) => (JSON.parse(line) as { object?: KubeObject }[]).map(({ object }) => object));
  return objects.filter((object): object is Lease => object?.kind === 'Lease');
}

const fixture = forAllTests(() => openFixture(1));
const sql = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));
beforeAll(async () => {
  await sql.session.query(`call coordination.lease_create_namespace('default')`);
});

const stored = async (name: string): Promise<StoredObject> => {
  const { object } = await fixture.stores[0]!.get(keyOf(name), { kind: 'latest' });
  if (!object) throw new Error(`there is no lease ${name}`);
  return object;
};

/** What the server would store for this change of the spec. */
function expectedBytes(before: StoredObject | undefined, after: StoredObject): string {
  const made = codec.decode({ ...after, revision: 0 });
  const live = before && codec.decode({ ...before, revision: 0 });
  const { managedFields: _, ...metadata } = made.metadata;
  const next = live ? { ...live, spec: made.spec } : { ...made, metadata };
  const now = `${made.spec.renewTime?.slice(0, 19)}Z`;
  const write = { manager: 'coordination-sql', apiVersion: 'coordination.k8s.io/v1', now };
  return codec.encode(fieldManager.update(live, next, write) as Lease).data;
}

/** The server merges the oldest of more than ten managers of updates into one; the functions leave that to its next write. */
const hasManyManagers = ({ metadata }: Lease) => metadata.managedFields!.filter(({ operation }) => operation === 'Update').length >= 9;

test('a new lease, its renewals and its release have the bytes that the server would store', async () => {
  const steps = [
    () => sql.acquire('new', 'a'),
    () => sql.renew('new', 'a'),
    () => sql.acquire('new', 'a', '20s'),
    () => sql.release('new', 'a'),
    () => sql.acquire('new', 'b<&>"\\\u2028\u0007\t é😀'),
  ];
  let before: StoredObject | undefined;
  for (const step of steps) {
    await step();
    const after = await stored('new');
    expect(after.data).toBe(expectedBytes(before, after));
    before = after;
  }
});

test('a lease that the server has stored keeps its bytes but for the spec and the owners of its fields', async () => {
  const golden = goldenLeases().filter(({ metadata }) => metadata.managedFields);
  const seen = new Set<string>();
  for (const [at, lease] of golden.entries()) {
    const key = JSON.stringify([Object.keys(lease.metadata), lease.metadata.managedFields, lease.spec]);
    if (seen.size >= 80 || seen.has(key) || lease.spec.strategy || hasManyManagers(lease)) continue;
    seen.add(key);
    const name = `golden-${at}`;
    const value = codec.encode({ ...lease, metadata: { ...lease.metadata, name, namespace: 'default' } });
    let before = await fixture.stores[0]!.create(keyOf(name), { ...value, terminating: false });
    const holder = lease.spec.holderIdentity || 'sql';
    for (const step of [() => sql.acquire(name, holder), () => sql.renew(name, holder), () => sql.release(name, holder)]) {
      await step();
      const after = await stored(name);
      expect(after.revision).toBeGreaterThan(before.revision);
      expect(after.data).toBe(expectedBytes(before, after));
      before = after;
    }
  }
  expect(seen.size).toBe(80);
});

test('a lease whose owners are not tracked stays so', async () => {
  const data = codec.encode({
    metadata: { name: 'untracked', namespace: 'default', uid: 'u', labels: { a: '<b>' } },
    spec: {},
  }).data;
  await fixture.stores[0]!.create(keyOf('untracked'), { uid: 'u', data, terminating: false });
  const { acquired } = await sql.acquire('untracked', 'a');
  expect(acquired).toBe(true);
  const after = await stored('untracked');
  expect(codec.decode(after).metadata.managedFields).toBeUndefined();
  expect(after.data).toBe(codec.encode(codec.decode({ ...after, revision: 0 })).data);
});

// PostgreSQL reads the backslashes in the bodies of functions as the session says
test.each(['on', 'off'])(
  'a lease with U+0000 and halves of surrogate pairs is read, written and fenced as any other, with standard_conforming_strings %s',
  async (conforming) => {
    const nul = `nul-${conforming}`;
    await using sql = await LeaseClient.connect(storeUrl(fixture.url));
    await sql.session.query(`set standard_conforming_strings = ${conforming}`);
    const annotations = JSON.stringify({ nul: '\u0000', two: '\u0000\u0000', behind: '\\\u0000', none: '\\u0000', other: '\ufffd' });
    const managed =
      '[{"manager":"m\\u0000","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:metadata":{"f:\\ud83d":{},"f:\\udfff\\udfff":{},"f:\\\\ud83d":{}}}}]';
    const meta = `"metadata":{"name":"${nul}","namespace":"default","uid":"u","annotations":${annotations},"managedFields":${managed}}`;
    const spec = `{"holderIdentity":"a\\u0000b","leaseDurationSeconds":1,"renewTime":"2020-01-02T03:04:05.000000Z"}`;
    const created = await fixture.stores[0]!.create(keyOf(nul), { uid: 'u', data: `{${meta},"spec":${spec}}`, terminating: false });
    expect(await sql.get(nul)).toMatchObject({ holder: 'a\ufffdb', held: false });
    await sql.session.query(`select coordination.lease_assert('default', $1, $2)`, [nul, created.revision]);
    expect(await sql.release(nul, 'a\ufffdb')).toMatchObject({ released: true });
    const { acquired, token } = await sql.acquire(nul, 'next');
    expect(acquired).toBe(true);
    await sql.session.query(`select coordination.lease_assert('default', $1, $2)`, [nul, token]);
    expect(await sql.renew(nul, 'next', token)).toMatchObject({ renewed: true });
    const { object } = await fixture.stores[0]!.get(keyOf(nul), { kind: 'latest' });
    expect(object!.data).toContain(`"annotations":${annotations}`);
    expect(object!.data).toContain(managed.slice(1, -1));
  },
);
