import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const server = forAllTests(() => startTestServer());

const get = (path: string) => ask(server.url + path);
const post = (path: string, body: object) => ask(server.url + path, { method: 'POST', body });

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
