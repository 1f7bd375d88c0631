import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { namespaceColumns } from './namespace.columns.js';
import type { Namespace } from './namespace.js';
import { namespaceFinalizeStrategy, namespaceStatusStrategy, namespaceStrategy, setNamespaceDefaults } from './namespace.strategy.js';
import { namespaceV1Schema } from './v1/namespace-v1.schema.js';

/** Namespace in core v1: the hub's own shape. */
export const namespaceV1: ResourceVersionDefinition<Namespace> = {
  name: 'v1',
  schema: namespaceV1Schema,
  setDefaults: setNamespaceDefaults,
};

export const namespaceDefinition: ResourceDefinition<Namespace> = {
  group: '',
  resource: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  namespaced: false,
  shortNames: ['ns'],
  categories: [],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [namespaceV1],
  storageVersion: namespaceV1,
  strategy: namespaceStrategy,
  returnsDeleted: true,
  columns: namespaceColumns,
  selectableFields: ({ metadata, status }) => ({ 'metadata.name': metadata.name ?? '', 'status.phase': status?.phase ?? '' }),
  selectableFieldNames: ['metadata.name', 'status.phase'],
};

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
