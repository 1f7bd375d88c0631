import { ask } from '../../support/http-client.js';
import type { Wanted } from './reference-evaluation.js';

export interface MatrixResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
}

/** A request and the attributes that upstream's request info derives from it, written by hand. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly wanted: Wanted;
}

interface ApiResources {
  readonly resources: readonly { readonly name: string; readonly namespaced: boolean }[];
}

/** Every resource in the server's discovery documents, and some that it does not serve. */
export async function matrixResources(url: string): Promise<MatrixResource[]> {
  const { json } = await ask(`${url}/apis`);
  const groups = (json as unknown as { groups: { name: string; versions: { version: string }[] }[] }).groups;
  const served = [
    { group: '', version: 'v1' },
    ...groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version }))),
  ];
  const found = await Promise.all(served.map(({ group, version }) => resourcesOf(url, group, version)));
  return [
    ...found.flat(),
    { group: 'coordination.k8s.io', version: 'v9', resource: 'leases', namespaced: true, subresources: [] },
    { group: 'coordination.k8s.io', version: 'v1', resource: 'unknowns', namespaced: true, subresources: [] },
    { group: 'unknown.example.com', version: 'v1', resource: 'things', namespaced: true, subresources: [] },
  ];
}

async function resourcesOf(url: string, group: string, version: string): Promise<MatrixResource[]> {
  const { json } = await ask(`${url}${rootOf(group, version)}`);
  const { resources } = json as unknown as ApiResources;
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, namespaced }) => {
      const subresources = resources.flatMap((each) => (each.name.startsWith(`${name}/`) ? each.name.slice(name.length + 1) : []));
      return { group, version, resource: name, namespaced, subresources };
    });
}

function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

const NAMESPACES = ['team-a', 'team-b'];
const NAMES = ['one', 'two'];
const ITEM_VERBS = [
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
  ['POST', 'create'],
] as const;

/** Every verb on every path shape of the resource. */
export function exchangesOf({ group, version, resource, namespaced, subresources }: MatrixResource): Exchange[] {
  const root = rootOf(group, version);
  const places = namespaced ? ['', ...NAMESPACES] : [''];
  return places.flatMap((namespace) => {
    const collection = namespace === '' ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
    const watched = collection.replace(root, `${root}/watch`);
    const exchange = (method: string, path: string, verb: string, name = '', subresource = ''): Exchange => {
      // a namespace belongs to itself
      const at = resource === 'namespaces' ? (method === 'GET' && path.includes('fieldSelector') ? '' : name) : namespace;
      return { method, path, wanted: { kind: 'resource', verb, group, resource, subresource, namespace: at, name } };
    };
    return [
      exchange('GET', collection, 'list'),
      exchange('HEAD', collection, 'list'),
      exchange('GET', `${collection}/`, 'list'),
      exchange('GET', `${collection}?watch=1`, 'watch'),
      exchange('GET', `${collection}?watch=false`, 'list'),
      exchange('GET', `${collection}?watch`, 'watch'),
      exchange('GET', watched, 'watch'),
      exchange('POST', collection, 'create'),
      exchange('DELETE', collection, 'deletecollection'),
      ...NAMES.flatMap((name) => [
        exchange('GET', `${collection}?fieldSelector=metadata.name%3D${name}`, 'list', name),
        exchange('GET', `${watched}/${name}`, 'watch', name),
        exchange('GET', `${collection}/${name.replace('o', '%6f')}`, 'get', name),
        ...ITEM_VERBS.map(([method, verb]) => exchange(method, `${collection}/${name}`, verb, name)),
        ...[...new Set([...subresources, 'status', 'scale'])].flatMap((subresource) =>
          // only these are subresources of a namespace; anything else is a resource within it
          resource === 'namespaces' && !['status', 'finalize'].includes(subresource)
            ? []
            : ITEM_VERBS.map(([method, verb]) => exchange(method, `${collection}/${name}/${subresource}`, verb, name, subresource)),
        ),
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

export function plainExchanges(): Exchange[] {
  return PATHS.flatMap((path) =>
    ['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({
      method,
      path,
      wanted: { kind: 'path', verb: method.toLowerCase(), path } as const,
    })),
  );
}
