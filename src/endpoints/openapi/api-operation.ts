import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';

/** A type that an operation takes or answers with. */
type OperationSchema = StructType;

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  /** Stands at the path, for all its operations. */
  readonly shared?: boolean;
  /** A value that works. */
  readonly example?: unknown;
}

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One operation of the API, before it is written as OpenAPI 2 or 3. */
export interface ApiOperation {
  readonly id: string;
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly tag: string;
  /** One line, where a reader wants less than the description. */
  readonly summary?: string;
  readonly description: string;
  readonly deprecated?: boolean;
  /** `x-kubernetes-action`. */
  readonly action?: string;
  readonly kind?: ApiKind;
  readonly parameters: readonly ApiParameter[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly body?: OperationBody;
  /** HTTP codes of success, all with the same schema; absent: a body without one. */
  readonly codes: readonly number[];
  readonly responseSchema?: OperationSchema;
  /** What every other code is answered with, where that is told. */
  readonly failure?: OperationSchema;
  /** An object of the operation's kind, as clients write it. */
  readonly example?: KubeObject;
  /** An answer of success, as JSON. */
  readonly responseExample?: unknown;
}

export interface OperationBody {
  readonly schema: OperationSchema;
  readonly required: boolean;
  /** Bodies that work, by media type. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

export const RESPONSE_TEXTS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };
