import https from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PrivilegedGroupAuthorizer } from '../../../src/auth/authorization/privileged-group-authorizer.js';
import { PolicyIndex } from '../../../src/auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../../src/auth/authorization/rbac/rbac-authorizer.js';
import { UnionAuthorizer } from '../../../src/auth/authorization/union-authorizer.js';
import type { TestServer } from '../../support/test-server.js';
import { startTestServer } from '../../support/test-server.js';
import type { Wanted } from './reference-evaluation.js';
import { BINDINGS, referenceAllows, ROLES, SUBJECTS } from './reference-evaluation.js';

interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

const v1 = (group: string, resource: string, namespaced: boolean): Resource => ({ group, version: 'v1', resource, namespaced });

const RESOURCES: readonly Resource[] = [
  v1('', 'namespaces', false),
  v1('', 'events', true),
  v1('events.k8s.io', 'events', true),
  v1('coordination.k8s.io', 'leases', true),
  { group: 'coordination.k8s.io', version: 'v1beta1', resource: 'leasecandidates', namespaced: true },
  { group: 'coordination.k8s.io', version: 'v9', resource: 'leases', namespaced: true },
  v1('coordination.k8s.io', 'unknowns', true),
  v1('unknown.example.com', 'things', true),
  v1('rbac.authorization.k8s.io', 'roles', true),
  v1('rbac.authorization.k8s.io', 'rolebindings', true),
  v1('rbac.authorization.k8s.io', 'clusterroles', false),
  v1('rbac.authorization.k8s.io', 'clusterrolebindings', false),
  v1('authentication.k8s.io', 'selfsubjectreviews', false),
  v1('authentication.k8s.io', 'tokenreviews', false),
  v1('authorization.k8s.io', 'subjectaccessreviews', false),
  v1('authorization.k8s.io', 'localsubjectaccessreviews', true),
];

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly wanted: Wanted;
}

const NAMESPACES = ['team-a', 'team-b'];
const NAMES = ['one', 'two'];

/** Every verb on every shape of path that names the resource, with what upstream's request info makes of it, written down by hand. */
function exchangesOf({ group, version, resource, namespaced }: Resource): Exchange[] {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const places = namespaced ? ['', ...NAMESPACES] : [''];
  return places.flatMap((namespace) => {
    const collection = namespace === '' ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
    const watched = collection.replace(root, `${root}/watch`);
    const ask = (method: string, path: string, verb: string, name = '', subresource = ''): Exchange => {
      // the namespace of a namespace is itself
      const at = resource === 'namespaces' ? name : namespace;
      return { method, path, wanted: { kind: 'resource', verb, group, resource, subresource, namespace: at, name } };
    };
    const pinned = (name: string): Exchange => {
      const path = `${collection}?fieldSelector=metadata.name%3D${name}`;
      return { ...ask('GET', path, 'list'), wanted: { ...ask('GET', path, 'list').wanted, name } as Wanted };
    };
    return [
      ask('GET', collection, 'list'),
      ask('HEAD', collection, 'list'),
      ask('GET', `${collection}/`, 'list'),
      ask('GET', `${collection}?watch=1`, 'watch'),
      ask('GET', `${collection}?watch=false`, 'list'),
      ask('GET', `${collection}?watch`, 'watch'),
      ask('GET', watched, 'watch'),
      ask('POST', collection, 'create'),
      ask('DELETE', collection, 'deletecollection'),
      ...NAMES.flatMap((name) => [
        pinned(name),
        ask('GET', `${collection}/${name}`, 'get', name),
        ask('GET', `${collection}/${name.replace('o', '%6f')}`, 'get', name),
        ask('PUT', `${collection}/${name}`, 'update', name),
        ask('PATCH', `${collection}/${name}`, 'patch', name),
        ask('DELETE', `${collection}/${name}`, 'delete', name),
        ask('GET', `${collection}/${name}/status`, 'get', name, 'status'),
        ask('PUT', `${collection}/${name}/status`, 'update', name, 'status'),
      ]),
    ];
  });
}

const PATHS = [
  '/',
  '/api',
  '/apis',
  '/apis/coordination.k8s.io/v1',
  '/version',
  '/healthz',
  '/metrics',
  '/openapi/v2',
  '/nope',
  '/nope/below',
];

function plainExchanges(): Exchange[] {
  return PATHS.flatMap((path) =>
    ['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({
      method,
      path,
      wanted: { kind: 'path', verb: method.toLowerCase(), path } as const,
    })),
  );
}

describe('every verb on every resource and path shape, as every kind of subject', () => {
  let server: TestServer;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 8 });

  beforeAll(async () => {
    const index = new PolicyIndex();
    for (const { namespace, name, rules } of ROLES) index.setRole(namespace, name, rules);
    for (const binding of BINDINGS) index.setBinding(binding);
    server = await startTestServer({ authorizer: new UnionAuthorizer([new PrivilegedGroupAuthorizer(), new RbacAuthorizer(index)]) });
  });
  afterAll(async () => {
    agent.destroy();
    await server.close();
  });

  /** The status of an answer, whose body is not waited for: some are watches. */
  function statusOf({ method, path }: Exchange, headers: Record<string, string | string[]>): Promise<number> {
    return new Promise((resolve, reject) => {
      const body = method === 'GET' || method === 'HEAD' ? '' : '{';
      const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      const request = https.request(
        new URL(path, server.url),
        { method, agent, ca: server.authority, headers: { ...headers, ...type, 'content-length': String(body.length) } },
        (response) => {
          resolve(response.statusCode ?? 0);
          if (/^\/apis?\/.*watch/.test(path)) response.destroy();
          else response.resume();
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  test.each(SUBJECTS.map((subject) => [subject.title, subject] as const))('%s', async (_title, { headers, user }) => {
    const exchanges = [...RESOURCES.flatMap(exchangesOf), ...plainExchanges()];
    const wrong: string[] = [];
    for (let at = 0; at < exchanges.length; at += 8) {
      await Promise.all(
        exchanges.slice(at, at + 8).map(async (exchange) => {
          const expected = referenceAllows(user, exchange.wanted);
          const status = await statusOf(exchange, headers);
          if ((status !== 403) !== expected) {
            wrong.push(`${exchange.method} ${exchange.path}: ${status}, though ${expected ? 'allowed' : 'not allowed'}`);
          }
        }),
      );
    }
    expect(wrong).toEqual([]);
  });
});
