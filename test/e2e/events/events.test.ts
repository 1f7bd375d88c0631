import { expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { ask as send } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

interface Body {
  readonly kind: string;
  readonly code?: number;
  readonly message?: string;
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly managedFields?: readonly { apiVersion: string }[];
  };
  readonly items?: readonly Body[];
  readonly [field: string]: unknown;
}

const CORE = '/api/v1/namespaces/default/events';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const about = { kind: 'Lease', namespace: 'default', name: 'x', uid: 'u-1' };
const observed = {
  eventTime: '2026-01-01T12:00:00.000000Z',
  type: 'Normal',
  reason: 'LeaderElection',
  action: 'Acquire',
  reportingController: 'example.com/elector',
  reportingInstance: 'host-1',
  regarding: about,
};

const server = forAllTests(() => startTestServer());

const ask = async (method: string, path: string, body?: object, type = 'application/json') =>
  JSON.parse((await send(`${server.url}${path}`, { method, body, headers: { 'content-type': type } })).text) as Body;
const names = async (path: string) => (await ask('GET', path)).items?.map(({ metadata }) => metadata.name);

it('is one object in both groups, whichever group it is written in', async () => {
  const created = await ask('POST', CORE, { metadata: { name: 'both' }, involvedObject: about, message: 'hello', count: 1 });
  expect(created).toMatchObject({ kind: 'Event', source: {}, firstTimestamp: null, reportingComponent: '' });
  const other = await ask('GET', `${EVENTS}/both`);
  expect(other).toMatchObject({ apiVersion: 'events.k8s.io/v1', regarding: about, note: 'hello', deprecatedCount: 1, eventTime: null });
  expect(other.metadata).toEqual(created.metadata);
  await ask('PATCH', `${EVENTS}/both`, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json');
  const after = await ask('GET', `${CORE}/both`);
  expect(after.metadata).toMatchObject({ labels: { a: 'b' } });
  expect(after.metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual(['events.k8s.io/v1']);
});

it('can be selected by the fields of each group', async () => {
  await ask('POST', EVENTS, { ...observed, metadata: { name: 'selected' }, regarding: { ...about, name: 'y' } });
  expect(await names(`/api/v1/events?fieldSelector=involvedObject.name=y,involvedObject.kind=Lease,involvedObject.uid=u-1`)).toEqual([
    'selected',
  ]);
  expect(await names(`${CORE}?fieldSelector=source=example.com/elector,type=Normal,reason!=Other`)).toEqual(['selected']);
  expect(await names(`${EVENTS}?fieldSelector=regarding.name=y,reportingController=example.com/elector`)).toEqual(['selected']);
  expect(await names(`${CORE}?fieldSelector=involvedObject.name=nobody`)).toEqual([]);
  expect(await ask('GET', `${EVENTS}?fieldSelector=involvedObject.name=y`)).toMatchObject({
    code: 400,
    message: 'field label not supported: involvedObject.name',
  });
});

it('is validated more strictly in events.k8s.io', async () => {
  expect(await ask('POST', CORE, { metadata: { name: 'Odd_Name' }, involvedObject: about })).toMatchObject({ kind: 'Event' });
  expect(await ask('POST', EVENTS, { ...observed, metadata: { name: 'Odd_Name_2' } })).toMatchObject({ code: 422 });
  expect(await ask('POST', EVENTS, { metadata: { name: 'bare' }, regarding: about })).toMatchObject({ code: 422 });
  await ask('POST', EVENTS, { ...observed, metadata: { name: 'fixed' } });
  const changed = await ask('PATCH', `${EVENTS}/fixed`, { reason: 'Other' }, 'application/merge-patch+json');
  expect(changed).toMatchObject({ code: 422, details: { name: 'fixed', kind: 'Event' } });
  expect(changed.message).toContain('reason: Invalid value: "Other": field is immutable');
  expect(await ask('PATCH', `${CORE}/fixed`, { reason: 'Other' }, 'application/merge-patch+json')).toMatchObject({ reason: 'Other' });
});

it('may keep a series in events.k8s.io that only core accepts', async () => {
  await ask('POST', CORE, { metadata: { name: 'empty-series' }, involvedObject: about, series: {} });
  const applied = { kind: 'Event', apiVersion: 'events.k8s.io/v1', metadata: { labels: { a: 'b' } } };
  const path = `${EVENTS}/empty-series?fieldManager=a`;
  expect(await ask('PATCH', path, applied, 'application/apply-patch+yaml')).toMatchObject({ metadata: { labels: { a: 'b' } } });
});

it('can be replaced without a resourceVersion and by server-side apply', async () => {
  const event = { metadata: { name: 'replaced' }, involvedObject: about, count: 1 };
  await ask('PUT', `${CORE}/replaced`, event);
  expect(await ask('PUT', `${CORE}/replaced`, { ...event, count: 2 })).toMatchObject({ count: 2 });
  const applied = { kind: 'Event', apiVersion: 'v1', ...event, message: 'applied' };
  const path = `${CORE}/replaced?fieldManager=a&force=true`;
  expect(await ask('PATCH', path, applied, 'application/apply-patch+yaml')).toMatchObject({ count: 1, message: 'applied' });
});

it('needs an existing namespace', async () => {
  const event = { metadata: { name: 'lost' }, involvedObject: { namespace: 'none' } };
  expect(await ask('POST', '/api/v1/namespaces/none/events', event)).toMatchObject({ code: 404 });
});
