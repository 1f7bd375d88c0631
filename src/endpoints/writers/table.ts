import { type TableHead, internalTypeName } from '../../apimachinery/codec/serializer/serializer.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { invalid } from '../../apimachinery/errors/field-error.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { KubeObject, ListMeta, ObjectMeta } from '../../apimachinery/meta/object-meta.schema.js';
import type { ResourceDefinition, TableColumn } from '../../registry/resource/resource-definition.js';
import type { OutputChoice, Transform } from '../negotiation/output-negotiation.js';
import type { Query } from '../request-info/query.js';
import type { RequestScope } from '../scope/request-scope.js';

/** The part of an object that a row contains. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** An object and the data for its row. `object` is in the request's version. */
export interface TableEntry {
  readonly hub: KubeObject;
  readonly object: () => KubeObject;
}

export interface TableOptions {
  readonly version: Transform['version'];
  readonly include: IncludeObject;
  /** Whether to send the column definitions; only the first event of a watch has them. */
  readonly headers: boolean;
  readonly now: number;
}

/** Parses `?includeObject`; throws upstream's 400 for an unknown value. */
export function includeObject(query: Query): IncludeObject {
  const value = query.first('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const { field, body } = invalid('includeObject', value, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(`Unable to convert to Table as requested: ${field}: ${body}`);
}

/** A metav1.Table of the entries. */
export function tableOf(definition: ResourceDefinition, metadata: ListMeta, entries: readonly TableEntry[], options: TableOptions): object {
  return { ...tableHead(definition, metadata, options), rows: entries.map((entry) => tableRow(definition, entry, options)) };
}

/** A Table without rows. */
export function tableHead(
  definition: ResourceDefinition,
  metadata: ListMeta,
  options: Pick<TableOptions, 'version' | 'headers'>,
): TableHead {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    ...(options.headers ? { columnDefinitions: definition.columns.map(columnDefinition) } : {}),
  };
}

/** metav1.PartialObjectMetadata of an object. */
export function partialObjectMetadata(metadata: ObjectMeta, version: Transform['version']): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** A metav1.TableRow. */
export function tableRow(definition: ResourceDefinition, entry: TableEntry, { include, version, now }: TableOptions): object {
  const cells = definition.columns.map((column) => column.cell(entry.hub, now));
  if (include === 'None') return { cells };
  return { cells, object: include === 'Object' ? entry.object() : partialObjectMetadata(entry.hub.metadata, version) };
}

function columnDefinition({ name, type, format, description, priority }: TableColumn): object {
  return { name, type, format, description, priority };
}

/** The 406 for a list form of a single object, and vice versa. */
export function wrongForm(scope: RequestScope, wanted: string, isList: boolean): ApiError {
  const { group, hubGroup = group, kind } = scope.definition;
  const internal = internalTypeName(hubGroup, isList ? scope.listKind : kind);
  const message = `you requested ${wanted}, but the requested object is ${isList ? 'a' : 'not a'} list (*${internal})`;
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

/**
 * Throws that 406 before a write whose response is one object. kube-apiserver checks afterwards, so it carries out the write that it
 * rejects (handlers/response.go transformResponseObject).
 */
export function requireObjectForm(scope: RequestScope, { transform }: OutputChoice): void {
  if (transform?.kind === 'PartialObjectMetadataList') throw wrongForm(scope, transform.kind, false);
}

/** Like `requireObjectForm`, for a write whose response is a list. */
export function requireListForm(scope: RequestScope, { transform }: OutputChoice): void {
  if (transform?.kind === 'PartialObjectMetadata') throw wrongForm(scope, transform.kind, true);
}
