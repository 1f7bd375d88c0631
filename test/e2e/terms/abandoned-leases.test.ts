import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { type Ask, ask as askUrl } from '../../support/http-client.js';
import { scrape } from '../../support/scrape.js';
import { startServerProcess } from '../../support/server-process.js';
import { WatchClient } from '../../support/watch-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';

const ask = (url: string, options?: Ask) => askUrl(`${server.url}${url}`, options);
const names = async () => ((await ask(LEASES)).json.items ?? []).map(({ metadata }) => metadata?.name);

async function make(name: string, spec: object, annotations?: Record<string, string>): Promise<string> {
  const { json } = await ask(LEASES, { method: 'POST', body: { metadata: { name, annotations }, spec } });
  return json.metadata?.resourceVersion ?? '';
}

const server = forAllTests(() => startServerProcess({ flags: ['--abandoned-lease-ttl=2s'] }));

test('leases that expired long ago are deleted, and no others', async () => {
  const watch = new WatchClient(`${server.url}${LEASES}?watch=true`);
  const held = { holderIdentity: 'a', leaseDurationSeconds: 1, renewTime: new Date().toISOString().replace('Z', '000Z') };
  const first = await make('abandoned', held);
  await make('released', { ...held, holderIdentity: '' });
  await make('kept', held, { 'coordination-apiserver.dev/keep': 'true' });
  await make('not-kept', held, { 'coordination-apiserver.dev/keep': 'false' });
  await make('alive', { ...held, leaseDurationSeconds: 3_600 });
  await make('endless', { holderIdentity: 'a', leaseDurationSeconds: undefined });
  await eventually(async () => (await names()).length === 3);
  expect(await names()).toEqual(['alive', 'endless', 'kept']);
  await eventually(() => watch.events.filter(({ type }) => type === 'DELETED').length === 3);
  watch.abort();
  const { json } = await ask(`${TERMS}?fieldSelector=spec.leaseName%3Dabandoned`);
  expect(json.items).toMatchObject([{ status: { phase: 'Ended', reason: 'Deleted', lapsed: true } }]);
  expect(await scrape(server.url, 'coordination_abandoned_leases_total')).toEqual(['coordination_abandoned_leases_total 3']);
  const next = await make('abandoned', held);
  expect(Number(next)).toBeGreaterThan(Number(first));
});
