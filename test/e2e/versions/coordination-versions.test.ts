import { describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { type Answer, type Ask, ask } from '../../support/http-client.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { WatchClient } from '../../support/watch-client.js';

const GROUP = '/apis/coordination.k8s.io';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const OLDEST = 'OldestEmulationVersion';
const DEPRECATED =
  '299 - "coordination.k8s.io/v1beta1 Lease is deprecated in v1.19+, unavailable in v1.22+; use coordination.k8s.io/v1 Lease"';

const plain = forAllTests(() => startServerProcess());
const withOldLeases = forAllTests(() =>
  startServerProcess({
    databaseUrl: plain.databaseUrl,
    flags: ['--runtime-config=coordination.k8s.io/v1beta1/leases=true'],
  }),
);

const path = (version: string, resource: string, name?: string) =>
  `${GROUP}/${version}/namespaces/default/${resource}${name === undefined ? '' : `/${name}`}`;

/** A response that must not be an error. */
async function done(server: ServerProcess, to: string, how?: Ask): Promise<Answer> {
  const answer = await ask(server.url + to, how);
  if (answer.status >= 300) throw new Error(`${how?.method ?? 'GET'} ${to}: ${answer.text}`);
  return answer;
}

/** The parts of objects and discovery documents that these tests read. */
interface Shown {
  readonly metadata: { readonly managedFields: readonly { readonly apiVersion: string }[] };
  readonly spec: { readonly binaryVersion?: string };
  readonly resources: readonly { readonly name: string }[];
}

const objectOf = ({ json }: Pick<Answer, 'json'>) => json as unknown as Shown;

describe('leases in v1beta1, for clients older than 1.22', () => {
  test('are not served unless enabled', async () => {
    expect((await ask(plain.url + path('v1beta1', 'leases'))).status).toBe(404);
    expect((await ask(plain.url + path('v1beta1', 'leasecandidates'))).status).toBe(200);
    const names = (answer: Answer) =>
      objectOf(answer)
        .resources.map(({ name }) => name)
        .sort();
    expect(names(await done(plain, `${GROUP}/v1beta1`))).toEqual(['leasecandidates']);
    expect(names(await done(withOldLeases, `${GROUP}/v1beta1`))).toEqual(['leasecandidates', 'leases']);
  });

  test('are the leases of v1: written in one version, changed, listed and watched in the other', async () => {
    const watch = new WatchClient(`${withOldLeases.url}${path('v1beta1', 'leases')}?watch=1&fieldSelector=metadata.name%3Dold`);
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000006Z' };
    const apiVersion = 'coordination.k8s.io/v1beta1';
    const created = await done(withOldLeases, path('v1beta1', 'leases'), {
      method: 'POST',
      body: { apiVersion, kind: 'Lease', metadata: { name: 'old' }, spec },
    });
    expect(created.headers['warning']).toBe(DEPRECATED);
    expect(objectOf(created)).toMatchObject({ apiVersion, kind: 'Lease', spec });
    expect(objectOf(await done(plain, path('v1', 'leases', 'old')))).toMatchObject({ apiVersion: 'coordination.k8s.io/v1', spec });

    await done(plain, path('v1', 'leases', 'old'), { method: 'PATCH', headers: MERGE, body: { spec: { holderIdentity: 'b' } } });
    const [added, modified] = await watch.count(2);
    watch.abort();
    expect([added?.type, modified?.type]).toEqual(['ADDED', 'MODIFIED']);
    expect(modified?.object).toMatchObject({ apiVersion, spec: { ...spec, holderIdentity: 'b' } });
    const stale = { ...objectOf(created), spec: { holderIdentity: 'c' } };
    expect((await ask(withOldLeases.url + path('v1beta1', 'leases', 'old'), { method: 'PUT', body: stale })).status).toBe(409);
    const managers = objectOf(await done(withOldLeases, path('v1beta1', 'leases', 'old'))).metadata.managedFields;
    expect(managers.map((entry) => entry.apiVersion).sort()).toEqual(['coordination.k8s.io/v1', apiVersion]);
  });
});

test('a v1alpha1 list of strategies survives changes through later versions, and a watch shows it', async () => {
  const strategies = ['example.com/first', OLDEST];
  const spec = { leaseName: 'lock', binaryVersion: '1.31.0', emulationVersion: '1.30.0' };
  const watch = new WatchClient(`${plain.url}${path('v1alpha1', 'leasecandidates')}?watch=1&fieldSelector=metadata.name%3Da`);
  await done(plain, path('v1alpha1', 'leasecandidates'), {
    method: 'POST',
    body: { metadata: { name: 'a' }, spec: { ...spec, preferredStrategies: strategies } },
  });
  for (const version of ['v1beta1', 'v1alpha2']) {
    const seen = objectOf(await done(plain, path(version, 'leasecandidates', 'a')));
    expect(seen.spec).toEqual({ ...spec, strategy: 'example.com/first', binaryVersion: seen.spec.binaryVersion });
    const changed = { ...seen, spec: { ...seen.spec, binaryVersion: version === 'v1beta1' ? '1.32.0' : '1.33.0' } };
    await done(plain, path(version, 'leasecandidates', 'a'), { method: 'PUT', body: changed });
  }
  const last = (await watch.count(3)).at(-1);
  expect(last?.object).toMatchObject({
    apiVersion: 'coordination.k8s.io/v1alpha1',
    spec: { ...spec, binaryVersion: '1.33.0', preferredStrategies: strategies },
  });
  await done(plain, path('v1beta1', 'leasecandidates', 'a'), { method: 'PATCH', headers: MERGE, body: { spec: { strategy: OLDEST } } });
  expect((await watch.count(4)).at(-1)?.object.spec).toMatchObject({ preferredStrategies: [OLDEST] });
  watch.abort();
});
