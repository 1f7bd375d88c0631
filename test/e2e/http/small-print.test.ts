import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { type Answer, ask } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

/** kube-apiserver 1.37.2's behaviour in corner cases that the recordings do not cover; `npm run program differential` found them. */
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const EVENTS = '/api/v1/namespaces/default/events';
const EVENTS_V1 = '/apis/events.k8s.io/v1/namespaces/default/events';
const TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json', apply: 'application/apply-patch+yaml' };

let serial = 0;

const server = forAllTests(() =>
  startTestServer({
    authorizer: { authorize: ({ name }, { verb }) => ({ allowed: name === 'admin' || !verb.startsWith('impersonate') }) },
  }),
);

const fresh = () => `x${++serial}`;
const get = (path: string, headers = {}) => ask(server.url + path, { headers });
const post = (path: string, body: object) => ask(server.url + path, { method: 'POST', body });
const put = (path: string, body: object, headers = {}) => ask(server.url + path, { method: 'PUT', body, headers });
const remove = (path: string) => ask(server.url + path, { method: 'DELETE' });
const patch = (type: keyof typeof TYPES, path: string, body: object | string) =>
  ask(server.url + path, {
    method: 'PATCH',
    headers: { 'content-type': TYPES[type] },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const summary = ({ status, json }: Answer) => [status, json.message];
const detailsOf = ({ text }: Answer) => (JSON.parse(text) as { details: { causes: { field: string }[] } }).details;
const causes = (answer: Answer) => detailsOf(answer).causes.map(({ field }) => field);

describe('finalizers', () => {
  const broken = 'name is neither a standard finalizer name nor is it fully qualified';

  it.each([
    ['/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {}],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', {}],
    ['/api/v1/namespaces/default/serviceaccounts', {}],
    ['/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { roleRef: { kind: 'ClusterRole', name: 'view' } }],
  ])('need a prefix in %s', async (path, fields) => {
    const answer = await post(path, { metadata: { name: fresh(), finalizers: ['plain'] }, ...fields });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(`metadata.finalizers[0]: Invalid value: "plain": ${broken}`);
  });

  it('need no prefix in leases and core events', async () => {
    const metadata = { name: fresh(), finalizers: ['plain'] };
    expect((await post(LEASES, { metadata })).status).toBe(201);
    expect((await post(EVENTS, { metadata, involvedObject: { namespace: 'default' } })).status).toBe(201);
  });
});

describe('a deletion of a collection', () => {
  it('judges its selectors before its options', async () => {
    const unknown = [400, expect.stringContaining('"spec.x" is not a known field selector')];
    expect(summary(await remove(`${LEASES}?fieldSelector=spec.x=y&propagationPolicy=Odd`))).toEqual(unknown);
    const syntax = [400, expect.stringContaining('unable to parse requirement')];
    expect(summary(await remove(`${LEASES}?labelSelector=a%20b&propagationPolicy=Odd`))).toEqual(syntax);
  });
});

describe('events', () => {
  const observed = {
    eventTime: '2026-01-01T12:00:00.000000Z',
    type: 'Normal',
    reason: 'R',
    action: 'A',
    reportingController: 'a.example/b',
    reportingInstance: 'i',
  };
  const inEventsGroup = async (name: string) => {
    const made = await post(EVENTS_V1, { metadata: { name }, ...observed, regarding: { namespace: 'default' } });
    expect(made.status).toBe(201);
  };

  it('have their internal kind in errors of either group', async () => {
    const answer = await post(EVENTS_V1, { metadata: { name: 'Bad' }, ...observed, regarding: { namespace: 'default' } });
    expect(answer.json.message).toMatch(/^Event "Bad" is invalid/);
    expect(detailsOf(answer)).not.toHaveProperty('group');
    const name = fresh();
    await inEventsGroup(name);
    expect((await remove(`${EVENTS_V1}/${name}?uid=x`)).json.message).toContain(`on Event "${name}": the UID`);
  });

  it('lose the managers of the other group when one group writes', async () => {
    const name = fresh();
    await inEventsGroup(name);
    const { json } = await patch('merge', `${EVENTS}/${name}`, { metadata: { labels: { a: 'b' } } });
    const managers = (json.metadata as { managedFields: { apiVersion: string }[] }).managedFields;
    expect(managers.map(({ apiVersion }) => apiVersion)).toEqual(['v1']);
  });

  it('are deleted at once, whatever the propagation policy', async () => {
    const name = fresh();
    await inEventsGroup(name);
    expect((await remove(`${EVENTS}/${name}?propagationPolicy=Foreground`)).json.kind).toBe('Status');
    expect((await get(`${EVENTS}/${name}`)).status).toBe(404);
  });

  it('are read as directly from etcd, which supports pages with resourceVersion=0', async () => {
    await inEventsGroup(fresh());
    await inEventsGroup(fresh());
    expect((await get(`${EVENTS}?resourceVersion=0&limit=1`)).json.items).toHaveLength(1);
    expect((await get(`${EVENTS}/x?resourceVersion=abc`)).json.message).toMatch(
      /^invalid resource version: resourceVersion: Invalid value/,
    );
    expect(detailsOf(await get(`${EVENTS}?resourceVersion=99999999999`))).not.toHaveProperty('retryAfterSeconds');
  });

  it('report invalid labels once, before the other causes', async () => {
    const name = fresh();
    await inEventsGroup(name);
    const labels = { 'a b': 'c' };
    expect(causes(await put(`${EVENTS}/${name}`, { metadata: { name, labels }, involvedObject: { namespace: 'other' } }))).toEqual([
      'metadata.labels',
      'involvedObject.namespace',
    ]);
  });
});

describe('the order of causes', () => {
  it("is metadata, the resource's own validation, then the declared rules, for roles", async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles`;
    const name = fresh();
    await post(path, { metadata: { name }, rules: [] });
    const answer = await put(`${path}/${name}`, { metadata: { name, labels: { 'a b': 'c' } }, rules: [{}] });
    expect(causes(answer)).toEqual(['metadata.labels', 'rules[0].apiGroups', 'rules[0].resources', 'rules[0].verbs']);
  });

  it('of a binding ends with the names that are required, except for that of a role that changes', async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings`;
    const name = fresh();
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
    const subjects = [{ kind: 'Nope' }, { kind: 'ServiceAccount' }];
    const nothing = { metadata: { name }, roleRef: { apiGroup: 'x', kind: 'Role' }, subjects };
    expect(causes(await post(path, nothing))).toEqual([
      'roleRef.apiGroup',
      'subjects[0].kind',
      'subjects[0].name',
      'subjects[1].name',
      'roleRef.name',
    ]);
    await post(path, { metadata: { name }, roleRef });
    expect(causes(await put(`${path}/${name}`, nothing))).toEqual([
      'roleRef.apiGroup',
      'roleRef.name',
      'subjects[0].kind',
      'roleRef',
      'subjects[0].name',
      'subjects[1].name',
    ]);
  });
});

describe('namespaces', () => {
  const made = async (metadata: object = {}) => {
    const name = fresh();
    expect((await post('/api/v1/namespaces', { metadata: { name, ...metadata } })).status).toBe(201);
    return `/api/v1/namespaces/${name}`;
  };

  it('are not created by an apply to their status', async () => {
    const name = fresh();
    const path = `/api/v1/namespaces/${name}`;
    const configuration = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    expect((await patch('apply', `${path}/status?fieldManager=m`, configuration)).status).toBe(404);
    expect((await get(path)).status).toBe(404);
  });

  it('record the subresource of an apply in managedFields', async () => {
    const path = await made();
    const status = { conditions: [{ type: 'A', status: 'True' }] };
    const configuration = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: path.split('/').at(-1) }, status };
    const { json } = await patch('apply', `${path}/status?fieldManager=m`, configuration);
    expect((json.metadata as { managedFields: object[] }).managedFields).toContainEqual(
      expect.objectContaining({ manager: 'm', operation: 'Apply', subresource: 'status' }),
    );
  });

  it('record the subresource for before-first-apply as well', async () => {
    const path = await made({ labels: { a: 'b' } });
    await patch('merge', path, { metadata: { managedFields: [{}] } });
    const configuration = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: path.split('/').at(-1) } };
    const { json } = await patch('apply', `${path}/status?fieldManager=m`, configuration);
    expect((json.metadata as { managedFields: object[] }).managedFields).toContainEqual(
      expect.objectContaining({ manager: 'before-first-apply', subresource: 'status' }),
    );
  });

  it('keep their generation when they are deleted', async () => {
    const { json } = await remove(await made({ generation: 5 }));
    expect(json.metadata).toMatchObject({ generation: 5 });
    expect(json.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
  });

  it('are only marked by the first deletion and removed by the next once they have no finalizers', async () => {
    const path = await made();
    expect((await put(`${path}/finalize`, { metadata: { name: path.split('/').at(-1) } })).status).toBe(200);
    expect((await remove(path)).json.status).toEqual({ phase: 'Terminating' });
    expect((await get(path)).status).toBe(200);
    const { status, json } = await remove(path);
    expect([status, json]).toEqual([200, expect.objectContaining({ kind: 'Namespace', status: { phase: 'Terminating' } })]);
    expect((await get(path)).status).toBe(404);
  });

  it('get foregroundDeletion for orphanDependents=false', async () => {
    const { json } = await remove(`${await made({ finalizers: ['example.com/x'] })}?orphanDependents=false`);
    expect(json.metadata).toMatchObject({ finalizers: ['example.com/x', 'foregroundDeletion'] });
  });

  it('are missed only after the body of a PUT to a subresource has been read', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
    const metadata = { name: 'nowhere', ownerReferences: [owner, owner] };
    for (const subresource of ['finalize', 'status']) {
      const { status, headers } = await put(`/api/v1/namespaces/nowhere/${subresource}`, { metadata });
      expect([status, headers.warning]).toEqual([404, expect.stringContaining('duplicate UID(s) observed: u')]);
      expect((await put(`/api/v1/namespaces/nowhere/${subresource}`, { metadata: { name: 'other' } })).status).toBe(400);
    }
  });

  it('have no Table for finalize, whatever the body', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const answer = await ask(`${server.url}${await made()}/finalize`, {
      method: 'PUT',
      headers: { accept, 'content-type': 'application/json' },
      body: '{',
    });
    expect(answer.status).toBe(406);
  });
});

describe('the status of a namespace', () => {
  it("takes Go's zero time for no deletionTimestamp", async () => {
    const name = fresh();
    await post('/api/v1/namespaces', { metadata: { name } });
    const metadata = { name, deletionTimestamp: '0001-01-01T00:00:00Z' };
    expect(causes(await put(`/api/v1/namespaces/${name}/status`, { metadata, status: { phase: 'Active' } }))).toEqual([
      'metadata.deletionTimestamp',
    ]);
  });
});

describe('refusals', () => {
  it('of impersonation carry x-content-type-options: nosniff', async () => {
    const headers = { authorization: 'Bearer alice-token', 'impersonate-user': 'bob' };
    const forbidden = await get(LEASES, headers);
    expect([forbidden.status, forbidden.headers['x-content-type-options']]).toEqual([403, 'nosniff']);
    const nameless = await get(LEASES, { 'impersonate-group': 'dev' });
    expect([nameless.status, nameless.headers['x-content-type-options']]).toEqual([400, 'nosniff']);
  });

  it('ask for a namespace when the one in the path is empty', async () => {
    const path = LEASES.replace('default', '');
    const refusal = [400, 'Namespace parameter required.'];
    expect(summary(await get(`${path}/a`))).toEqual(refusal);
    expect(summary(await remove(`${path}/a`))).toEqual(refusal);
    expect(summary(await put(`${path}/a`, { metadata: { name: 'a' } }))).toEqual(refusal);
    expect(summary(await put(`${path}/a`, {}))).toEqual([
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ]);
    await post(LEASES, { metadata: { name: fresh() } });
    expect(summary(await remove(path))).toEqual(refusal);
  });

  it("of a group path with trailing slashes come from the group's web service", async () => {
    expect((await post('/apis/coordination.k8s.io//', {})).status).toBe(405);
    expect((await get('/apis/coordination.k8s.io//')).json.kind).toBe('APIGroup');
  });

  it('of numbers beyond float64 are about the patch', async () => {
    const name = fresh();
    await post(LEASES, { metadata: { name } });
    const operation = '[{"op":"add","path":"/spec/leaseTransitions","value":[1,-1e400]}]';
    expect(summary(await patch('json', `${LEASES}/${name}`, operation))).toEqual([
      400,
      'error decoding patch: json: cannot unmarshal number -1e400 into Go struct field jsonPatchOp.value of type float64',
    ]);
    expect(summary(await patch('merge', `${LEASES}/${name}`, '{"spec":{"holderIdentity":"1e999","leaseTransitions":1e400}}'))).toEqual([
      400,
      'error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64',
    ]);
  });

  it('name the key without a prefix in dry runs', async () => {
    const body = { metadata: { name: 'none', uid: 'x' } };
    expect((await put(`${LEASES}/none`, body)).json.message).toContain('Key: /registry/leases/default/none,');
    expect((await put(`${LEASES}/none?dryRun=All`, body)).json.message).toContain('Key: /leases/default/none,');
  });

  it('name the Go types of named list types', async () => {
    const review = (extra: unknown) =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: 'x', extra, resourceAttributes: { verb: 'get' } } });
    expect((await review({ a: 'b' })).json.message).toMatch(/spec\.extra of type v1\.ExtraValue$/);
    expect((await review([])).json.message).toMatch(/spec\.extra of type map\[string\]v1\.ExtraValue$/);
    expect((await review({ a: [1] })).json.message).toMatch(/spec\.extra of type string$/);
  });
});

describe('lists and watches', () => {
  it('ignore the limit for a continue token with resourceVersion=0', async () => {
    for (let at = 0; at < 3; at++) await post(LEASES, { metadata: { name: fresh() } });
    const first = await get(`${LEASES}?limit=1`);
    const token = (first.json.metadata as { continue: string }).continue;
    const rest = await get(`${LEASES}?limit=1&continue=${token}&resourceVersion=0`);
    expect((rest.json.items as object[]).length).toBeGreaterThan(1);
    expect(rest.json.metadata).not.toHaveProperty('continue');
  });

  it('end without an event for a negative timeoutSeconds', async () => {
    await post(LEASES, { metadata: { name: fresh() } });
    const answer = await get(`${LEASES}?watch=true&timeoutSeconds=-1`);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it('show metadata in wire order in Tables', async () => {
    await post(LEASES, { metadata: { name: fresh() } });
    const { json } = await get(`${LEASES}?limit=1`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const [row] = json.rows as { object: { metadata: object } }[];
    expect(Object.keys(row?.object.metadata ?? {}).slice(0, 5)).toEqual([
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'creationTimestamp',
    ]);
  });
});

describe('a watch as Table', () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const paths = [LEASES, '/api/v1/namespaces', EVENTS, EVENTS_V1, '/api/v1/serviceaccounts']
    .concat(['/apis/coordination.k8s.io/v1beta1/leasecandidates'])
    .concat(['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map((name) => `${rbac}/${name}`));

  it.each(paths)('of %s ends the initial events with a bookmark', async (path) => {
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
    const { text } = await get(`${path}?${query}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(text).toContain('"k8s.io/initial-events-end":"true"');
  });
});

describe('token reviews', () => {
  it('repeat an audience as often as the request names it', async () => {
    const audience = 'https://kubernetes.default.svc';
    const spec = { token: 'alice-token', audiences: ['x', audience, audience] };
    const { json } = await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec });
    expect(json.status).toMatchObject({ authenticated: true, audiences: [audience, audience] });
  });
});

describe('resources that are not served', () => {
  const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

  it('are an empty list of custom resource definitions, which nothing names and which cannot be watched', async () => {
    const { status, text } = await get(`${CRDS}?limit=500`);
    expect([status, text]).toEqual([
      200,
      '{"kind":"CustomResourceDefinitionList","apiVersion":"apiextensions.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[]}\n',
    ]);
    expect((await get('/apis')).text + (await get('/')).text).not.toContain('apiextensions');
    expect((await get(`${CRDS}?watch=true`)).status).toBe(404);
    expect((await get(`${CRDS}/leases.example.org`)).status).toBe(404);
    expect((await post(CRDS, {})).status).toBe(405);
  });

  it.each([
    ['configmaps', 'ConfigMaps, but Leases (coordination.k8s.io/v1), with which leaders can be elected'],
    ['endpoints', 'Endpoints, but Leases (coordination.k8s.io/v1), with which leaders can be elected'],
    ['secrets', "Secrets: apply what `helm template` prints, and keep Terraform's state with its http backend"],
  ])('in which clients keep records, %s, are missing in favour of something else', async (resource, absent) => {
    const path = `/api/v1/namespaces/default/${resource}`;
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `the server could not find the requested resource: this server has no ${absent}`,
      reason: 'NotFound',
      details: {},
      code: 404,
    };
    expect((await get(`${path}/leader`)).json).toEqual(status);
    expect((await post(path, { metadata: { name: 'leader' } })).json).toEqual(status);
    expect((await get('/api/v1/pods')).json).toEqual({ ...status, message: 'the server could not find the requested resource' });
  });
});
