import type { StructType } from '../../apimachinery/schema/struct-type.js';

/** A type that an operation takes or answers with. */
export type OperationSchema = StructType;

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  /** Stands at the path, for all its operations. */
  readonly shared?: boolean;
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
  readonly description: string;
  /** `x-kubernetes-action`. */
  readonly action?: string;
  readonly kind?: ApiKind;
  readonly parameters: readonly ApiParameter[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly body?: { readonly schema: OperationSchema; readonly required: boolean };
  /** HTTP codes of success, all with the same schema; absent: a body without one. */
  readonly codes: readonly number[];
  readonly answer?: OperationSchema;
}

export const RESPONSE_TEXTS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };
