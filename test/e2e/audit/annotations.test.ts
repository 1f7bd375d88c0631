import { Auditor } from '../../../src/audit/auditor.js';
import { PolicyEvaluator } from '../../../src/audit/policy/audit-policy.js';
import { readPolicy } from '../../../src/audit/policy/read-policy.js';
import { eventually } from '../../support/eventually.js';
import { forAllTests } from '../../support/for-tests.js';
import { type Ask, ask } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';
import { EventCollector } from './recorded-events.js';

const EVERYTHING = '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}';
const CANDIDATES = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
const LATENCY = 'apiserver.latency.k8s.io/total';
const DEPRECATED = { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.39' };

interface RecordedEvent {
  readonly stage: string;
  readonly annotations?: Record<string, string>;
  readonly requestObject?: unknown;
  readonly responseStatus?: unknown;
}

const collector = new EventCollector();
const server = forAllTests(() =>
  startTestServer({
    auditor: new Auditor({ policy: new PolicyEvaluator(readPolicy(EVERYTHING).policy), backend: collector, now: Date.now }),
  }),
);
let asked = 0;

/** Sends a request, and returns the answer and the request's events by stage. */
async function recorded(path: string, { headers, ...request }: Ask = {}) {
  const id = `a${++asked}`;
  const answer = await ask(server.url + path, { ...request, headers: { authorization: 'Bearer admin-token', ...headers, 'audit-id': id } });
  const last = answer.status === 401 ? 'ResponseStarted' : 'ResponseComplete';
  const events = () => collector.of(id) as unknown as RecordedEvent[];
  await eventually(() => Promise.resolve(events().some(({ stage }) => stage === last)));
  return { answer, events: Object.fromEntries(events().map((event) => [event.stage, event])) as Record<string, RecordedEvent> };
}

test('the event of a token that was issued names the token', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await ask(server.url + accounts, { method: 'POST', body: { metadata: { name: 'robot' } } });
  const { answer, events } = await recorded(`${accounts}/robot/token`, { method: 'POST', body: { spec: {} } });
  const { token } = (answer.json as unknown as { status: { token: string } }).status;
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  expect(events['ResponseComplete']?.annotations).toMatchObject({ 'authentication.kubernetes.io/issued-credential-id': `JTI=${jti}` });
});

test('the object of a request is recorded with its defaults', async () => {
  const { events } = await recorded('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'new', managedFields: [] } } });
  expect(events['ResponseComplete']?.requestObject).toEqual({
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'new', labels: { 'kubernetes.io/metadata.name': 'new' } },
    spec: {},
    status: { phase: 'Active' },
  });
  const binding = { metadata: { name: 'b' }, roleRef: { kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'User', name: 'u' }] };
  const bound = await recorded(BINDINGS, { method: 'POST', body: binding });
  const group = 'rbac.authorization.k8s.io';
  expect(bound.events['ResponseComplete']?.requestObject).toMatchObject({ roleRef: { apiGroup: group }, subjects: [{ apiGroup: group }] });
});

test('the last event of a request for a deprecated version says so, and none before it', async () => {
  const { events } = await recorded(`${CANDIDATES}?watch=true&timeoutSeconds=1`);
  expect(Object.keys(events)).toEqual(['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
  expect(events['ResponseStarted']?.annotations).not.toHaveProperty('k8s.io/deprecated');
  expect(events['ResponseComplete']?.annotations).toMatchObject(DEPRECATED);
  expect(events['ResponseComplete']?.annotations).not.toHaveProperty(LATENCY);
});

test('a request that was slow says how long it took, a watch does not', async () => {
  const { events } = await recorded(`${CANDIDATES}?resourceVersion=999999999`);
  expect(events['ResponseComplete']?.annotations).toMatchObject({ [LATENCY]: expect.stringMatching(/^3(\.\d+)?s$/) as unknown });
});

test('a request that nobody may make says which credentials failed, if its answer has no text', async () => {
  const { events } = await recorded(CANDIDATES, { headers: { authorization: 'Bearer wrong', accept: 'text/html' } });
  expect(events['ResponseStarted']?.responseStatus).toMatchObject({ message: 'Authentication failed, attempted: bearer', code: 401 });
});
