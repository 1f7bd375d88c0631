import { humanDuration } from '../../apimachinery/go/go-duration.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { TableColumn } from './resource-definition.js';

/** The description of metadata.name in upstream's OpenAPI; `kubectl explain` and tables show it. */
const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request ' +
  'the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration ' +
  'definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in ' +
  'happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\n' +
  'Populated by the system. Read-only. Null for lists. More info: ' +
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** The first column of every resource. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: NAME,
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? '',
};

/** A column of text; those of priority 1 are shown in wide tables only. */
export function textColumn<T extends KubeObject>(
  name: string,
  description: string,
  cell: TableColumn<T>['cell'],
  priority = 0,
): TableColumn<T> {
  return { name, type: 'string', format: '', description, priority, cell };
}

/** The Age column: time since creation. */
export const ageColumn = textColumn('Age', CREATED, ({ metadata }, now) =>
  metadata.creationTimestamp === undefined ? '<unknown>' : humanDuration(now - Date.parse(metadata.creationTimestamp)),
);

/** The second column of resources that define no columns (apiserver pkg/registry/rest/table.go). */
export const createdAtColumn: TableColumn = {
  name: 'Created At',
  type: 'date',
  format: '',
  description: CREATED,
  priority: 0,
  cell: ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};
