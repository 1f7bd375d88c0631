import { type KubeObject, listMetaSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { DELETE_OPTIONS } from '../../apimachinery/options/delete-options.js';
import { LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import type { QueryOptions } from '../../apimachinery/options/query-options.js';
import { PATCH_OPTIONS, WRITE_OPTIONS } from '../../apimachinery/options/write-options.js';
import { type StructType, field, list, requiredField, struct, typeMetaFields } from '../../apimachinery/schema/struct-type.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';

/** A schema of request or response bodies. */
type OperationSchema = StructType;

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  /** Whether the document declares it once for all operations of the path. */
  readonly shared?: boolean;
  /** A working value. */
  readonly example?: unknown;
}

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One operation of the API, independent of the OpenAPI version. */
export interface ApiOperation {
  readonly id: string;
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly tag: string;
  /** One line that is shorter than the description. */
  readonly summary?: string;
  readonly description: string;
  readonly deprecated?: boolean;
  /** The value of `x-kubernetes-action`. */
  readonly action?: string;
  readonly kind?: ApiKind;
  readonly parameters: readonly ApiParameter[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly body?: OperationBody;
  /** Status codes of success, all with the same schema; absent: a body without a schema. */
  readonly codes: readonly number[];
  readonly responseSchema?: OperationSchema;
  /** Schema of the responses with other codes, if documented. */
  readonly failure?: OperationSchema;
  /** An object of the operation's kind, as clients write it. */
  readonly example?: KubeObject;
  /** A successful response, as JSON. */
  readonly responseExample?: unknown;
}

export interface OperationBody {
  readonly schema: OperationSchema;
  readonly required: boolean;
  /** Working bodies, by media type. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

export const RESPONSE_TEXTS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };

/**
 * How a group and version appear in operation ids and tags: `CoordinationV1` and `coordination_v1`, `RbacAuthorizationV1` and
 * `rbacAuthorization_v1`, `CoreV1` and `core_v1` (kube-openapi's GetOperationIDAndTags). The version may be empty.
 */
export function operationGroup(group: string, version: string): { idPart: string; tag: string } {
  const words = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split('.');
  const camel = words.map((word, at) => (at === 0 ? word : capital(word))).join('');
  return { idPart: capital(camel) + capital(version), tag: version === '' ? camel : `${camel}_${version}` };
}

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The `paths` of a document, sorted, written by the functions of its OpenAPI version; parameters that are shared are declared for the path. */
export function pathsOf(
  operations: readonly ApiOperation[],
  operation: (operation: ApiOperation) => object,
  parameter: (parameter: ApiParameter) => object,
): Record<string, object> {
  const paths = [...Map.groupBy(operations, ({ path }) => path)].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    paths.map(([path, methods]) => {
      const shared = methods[0]?.parameters.filter((each) => each.shared) ?? [];
      const written = Object.fromEntries(methods.map((each) => [each.method, operation(each)]));
      return [path, { ...written, ...(shared.length === 0 ? {} : { parameters: shared.map(parameter) }) }];
    }),
  );
}

const query = (name: string, type: ApiParameter['type'], description: string): ApiParameter => ({ name, in: 'query', type, description });
const path = (name: string, description: string): ApiParameter => ({ name, in: 'path', type: 'string', description, shared: true });

export const NAMESPACE = path('namespace', 'Namespace of the object, or of the objects in the list.');
export const NAME = path('name', 'Name of the object.');
export const PRETTY: ApiParameter = {
  ...query(
    'pretty',
    'string',
    "If 'true', the response is indented. The default is 'false' unless the user agent is a browser or a command-line tool.",
  ),
  shared: true,
};

/** The documented parameters of a verb, sorted by name as in upstream's documents. */
function ofQuery(options: QueryOptions): readonly ApiParameter[] {
  return Object.entries(options)
    .flatMap(([name, { type, description }]) => (description === undefined ? [] : [query(name, type, description)]))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const { watch: _watch, allowWatchBookmarks: _bookmarks, ...SELECTION } = LIST_OPTIONS;

/** The query parameters of each verb, from the description of its options. */
export const QUERY_PARAMETERS = {
  write: ofQuery(WRITE_OPTIONS),
  patch: ofQuery(PATCH_OPTIONS),
  list: ofQuery(LIST_OPTIONS),
  delete: ofQuery(DELETE_OPTIONS),
  deleteCollection: [...ofQuery(DELETE_OPTIONS), ...ofQuery(SELECTION)],
};

const made = new WeakMap<StructType, StructType>();

/** The schema of a list of these objects: `LeaseList`. */
export function listType(definition: ResourceDefinition, version: ResourceVersionDefinition): StructType {
  const known = made.get(version.schema);
  if (known !== undefined) return known;
  const type = struct(
    `${version.schema.openapiName}List`,
    `A list of objects of kind ${definition.kind}.`,
    [
      ...typeMetaFields(),
      field('metadata', 1, listMetaSchema, 'always', 'Standard metadata of the list.'),
      requiredField('items', 2, list(version.schema, { undeclared: true }), 'The objects.'),
    ],
    { goName: `${definition.kind}List` },
  );
  made.set(version.schema, type);
  return type;
}
