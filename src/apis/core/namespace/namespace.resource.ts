import {
  type ResourceDefinition,
  type ResourceVersionDefinition,
  type TableColumn,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { type Namespace, namespaceV1Schema } from './namespace.schema.js';
import { namespaceFinalizeStrategy, namespaceStatusStrategy, namespaceStrategy, setNamespaceDefaults } from './namespace.strategy.js';

/** The columns that kubectl prints for namespaces. */
const namespaceColumns: readonly TableColumn<Namespace>[] = [
  nameColumn,
  textColumn('Status', 'The status of the namespace', ({ status }) => status?.phase ?? ''),
  ageColumn,
];

/** Namespace in core v1: the hub's own shape. */
export const namespaceV1: ResourceVersionDefinition<Namespace> = {
  name: 'v1',
  schema: namespaceV1Schema,
  setDefaults: setNamespaceDefaults,
};

export const namespaceDefinition = defineResource<Namespace>({
  group: '',
  kind: 'Namespace',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [namespaceV1],
  strategy: namespaceStrategy,
  returnsDeleted: true,
  columns: namespaceColumns,
  selectableFields: ({ metadata, status }) => ({ 'metadata.name': metadata.name ?? '', 'status.phase': status?.phase ?? '' }),
  selectableFieldNames: ['metadata.name', 'status.phase'],
});

/** The definition of namespaces/NAME/finalize: its store serves PUT as an update. It has no Tables. */
export const namespaceFinalizeDefinition: ResourceDefinition<Namespace> = {
  ...namespaceDefinition,
  strategy: namespaceFinalizeStrategy,
  columns: [],
  subresource: 'finalize',
};

/** The definition of namespaces/NAME/status. */
export const namespaceStatusDefinition: ResourceDefinition<Namespace> = {
  ...namespaceDefinition,
  strategy: namespaceStatusStrategy,
  subresource: 'status',
};
