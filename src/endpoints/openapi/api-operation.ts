import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';

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
