import type { OpenAPIObject } from '@nestjs/swagger';
import { toYaml } from '../../apimachinery/codec/yaml/yaml-writer.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { statusSchema } from '../../apimachinery/meta/status.schema.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import type { ApiKind, ApiOperation, ApiParameter, OperationBody } from './api-operation.js';
import type { Json } from './component-schemas.js';
import { HEALTH_OPERATIONS } from './fixed-operations.js';
import { openapiV3 } from './openapi-v3.js';

const MANAGER = 'swagger-ui';
/** Media types of bodies that a person can write. */
const BODY_MEDIA = ['application/json', 'application/yaml'];
const LABELS = { 'example.com/reviewed': 'true' };
/** Duration in seconds of a watch that a user tries, also by the parameter `watch` of a list. */
const WATCH_SECONDS = 5;

const INTRODUCTION = [
  'The Kubernetes coordination API: Leases and related resources, as a kube-apiserver serves them.',
  'To try operations, press **Authorize** and enter a bearer token: the one that `coordination-apiserver token` prints,',
  'or one from the token file of the server. The page keeps it until the tab is closed. The examples of a tag work from top to bottom.',
].join(' ');

const REPLACE_HINT =
  ' Send the object as it was read, with its metadata.resourceVersion: if it has changed since then, the response is 409. ' +
  'Where a body has none, this page adds the one that it read last. ' +
  'If no object has that name, most resources are created.';
const PATCH_HINT =
  ' The media type of the body determines the type of the patch. A server-side apply (application/apply-patch+yaml) requires the parameter ' +
  'fieldManager; the other types require none.';
const DELETE_HINT = ' The body may be a DeleteOptions object, which then replaces the parameters.';
/** What tags without a kind are about. */
const TAGS: ReadonlyMap<string, string> = new Map([['lock', 'Locks and states of Terraform, as its HTTP backend uses them']]);
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    put: REPLACE_HINT,
    patch: PATCH_HINT,
    delete: DELETE_HINT,
    deletecollection: DELETE_HINT,
  }),
);

/**
 * One OpenAPI 3 document of all operations for human readers: the same operations, parameters and schemas as in the documents for programs,
 * plus summaries, failure schemas and working examples. Bodies that a browser cannot send are omitted, and so are those of deletions,
 * because an example there would override parameters such as dryRun.
 */
export function swaggerDocument(
  operations: readonly ApiOperation[],
  version: string,
  kindsOf: (type: StructType) => readonly ApiKind[],
): Json {
  const all = [...operations, ...HEALTH_OPERATIONS].map(forReaders);
  const document = openapiV3(all, version, kindsOf);
  const tags = [...new Set(all.map(({ tag }) => tag))];
  const BearerToken = { scheme: 'bearer', bearerFormat: 'JWT', type: 'http', description: 'A bearer token of this server.' } as const;
  return {
    openapi: '3.0.0',
    info: { title: 'Coordination API server', description: INTRODUCTION, version, contact: {} },
    tags: tags.sort(byInterest).map((name) => ({ name, description: contentOf(all.filter(({ tag }) => tag === name)) })),
    servers: [],
    security: [{ BearerToken: [] }],
    paths: document['paths'] as OpenAPIObject['paths'],
    components: { ...(document['components'] as Json), securitySchemes: { BearerToken } },
  } satisfies OpenAPIObject;
}

/** The description of a tag: `Lease in coordination.k8s.io/v1`. */
function contentOf(operations: readonly ApiOperation[]): string {
  const kinds = new Set(operations.flatMap(({ kind }) => (kind ? [kind.kind] : [])));
  const { kind } = operations.find((operation) => operation.kind) ?? {};
  if (kind) return `${[...kinds].join(', ')} in ${groupVersion(kind.group, kind.version)}`;
  return TAGS.get(operations[0]?.tag ?? '') ?? operations[0]?.description ?? '';
}

/** Resources first, starting with those of coordination. */
function byInterest(a: string, b: string): number {
  const rank = (tag: string) => (tag.startsWith('coordination_') ? 0 : tag.includes('_') ? 1 : 2);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function forReaders(operation: ApiOperation): ApiOperation {
  const { action = '', description } = operation;
  const patch = action === 'patch';
  const body = operation.method === 'delete' ? undefined : operation.body;
  return {
    ...operation,
    summary: description.split('. ')[0]?.replace(/\.$/, ''),
    description: description + (HINTS.get(action) ?? ''),
    deprecated: action.startsWith('watch'),
    parameters: operation.parameters.map((parameter) => withExample(parameter, operation)),
    consumes: patch ? operation.consumes.filter((type) => !type.endsWith('cbor')) : BODY_MEDIA,
    body: body && { ...body, examples: patch ? patchExamples(operation.example) : bodyExamples(operation.example) },
    failure: operation.kind && statusSchema,
    responseExample: responseExample(operation),
  };
}

function withExample(parameter: ApiParameter, { action = '', example }: ApiOperation): ApiParameter {
  const value = parameterExample(parameter.name, action, example?.metadata);
  return value === undefined ? parameter : { ...parameter, example: value };
}

function parameterExample(name: string, action: string, metadata: KubeObject['metadata'] = {}): unknown {
  switch (name) {
    case 'name':
      return metadata.name;
    case 'namespace':
      return metadata.namespace ?? 'default';
    case 'fieldManager':
      return MANAGER;
    case 'timeoutSeconds':
      return action === 'list' || action.startsWith('watch') ? WATCH_SECONDS : undefined;
    default:
      return undefined;
  }
}

function bodyExamples(example: KubeObject | undefined): OperationBody['examples'] {
  return example && { 'application/json': example, 'application/yaml': toYaml(JSON.stringify(example)) };
}

function patchExamples(example: KubeObject | undefined): OperationBody['examples'] {
  if (example === undefined) return undefined;
  const change = { metadata: { labels: LABELS } };
  return {
    'application/merge-patch+json': change,
    'application/strategic-merge-patch+json': change,
    'application/json-patch+json': [
      { op: 'test', path: '/metadata/name', value: example.metadata.name },
      { op: 'add', path: '/metadata/labels', value: LABELS },
    ],
    'application/apply-patch+yaml': toYaml(JSON.stringify({ ...example, metadata: { ...example.metadata, labels: LABELS } })),
  };
}

const READ = {
  uid: '6f2c1a0e-7d54-4c1b-9f0e-2d8b6a3c5e10',
  resourceVersion: '1765432100000123',
  creationTimestamp: '2026-01-01T12:00:00Z',
};

/** The example response of an operation to its example request; undefined if it returns no object. */
function responseExample({ action, kind, example, path, responseSchema }: ApiOperation): unknown {
  if (!kind || !example || !responseSchema) return undefined;
  const namespace = path.includes('/namespaces/{namespace}/') ? { namespace: 'default' } : {};
  const object = { ...example, metadata: { ...example.metadata, ...namespace, ...READ } };
  const { name } = example.metadata;
  if (responseSchema === statusSchema) {
    const details = { name, group: kind.group, uid: READ.uid };
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...(action === 'delete' ? { details } : {}) };
  }
  if (action === 'watch' || action === 'watchlist') return { type: 'ADDED', object };
  if (action !== 'list') return object;
  const { kind: _kind, apiVersion: _version, ...item } = object as typeof object & { kind?: string; apiVersion?: string };
  return {
    kind: `${kind.kind}List`,
    apiVersion: groupVersion(kind.group, kind.version),
    metadata: { resourceVersion: READ.resourceVersion },
    items: [item],
  };
}
