import { type FieldError, TypedString, invalid } from '../../../apimachinery/errors/field-error.js';
import { ZERO_TIME } from '../../../apimachinery/go/go-time.js';
import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions, PropagationPolicy } from '../../../apimachinery/options/delete-options.js';
import { nameIsDnsLabel, validateQualifiedName } from '../../../apimachinery/validation/names.js';
import {
  type ResourceDefinition,
  type ResourceVersionDefinition,
  type Strategy,
  type TableColumn,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, withoutCollector } from '../../../registry/rules/before-delete.js';
import { validateCoreMetadata, validateFinalizers, validateStandardFinalizer } from '../core-metadata.validation.js';
import { type Namespace, ACTIVE, KUBERNETES_FINALIZER, NAME_LABEL, TERMINATING, namespaceV1Schema } from './namespace.schema.js';

/** Namespaces that cannot be deleted (apiserver pkg/admission/plugin/namespace/lifecycle). */
const IMMORTAL: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** The strategy of namespaces (kubernetes pkg/registry/core/namespace). */
const namespaceStrategy: Strategy<Namespace> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  resetFields: ['status'],

  prepareForCreate(next) {
    const finalizers = next.spec?.finalizers ?? [];
    if (!finalizers.includes(KUBERNETES_FINALIZER)) next.spec = { ...next.spec, finalizers: [...finalizers, KUBERNETES_FINALIZER] };
    next.status = { phase: ACTIVE };
    setNameLabel(next);
  },
  prepareForUpdate(next, old) {
    next.spec = { ...next.spec, finalizers: old.spec?.finalizers };
    next.status = old.status;
    setNameLabel(next);
  },

  validate: validateNamespace,
  validateUpdate: validateNamespace,

  markedForDeletion: (live, options, now) => ({
    ...live,
    metadata: withFinalizers({ ...live.metadata, deletionTimestamp: now }, finalizersOfDeletion(live.metadata.finalizers ?? [], options)),
    status: { ...live.status, phase: TERMINATING },
  }),
  holdsDeletion: ({ spec }) => (spec?.finalizers?.length ?? 0) > 0,
  forbidsDeletion: ({ metadata }) => (IMMORTAL.includes(metadata.name ?? '') ? 'this namespace may not be deleted' : undefined),
};

/** PUT namespaces/NAME/finalize: changes spec.finalizers, and removes the namespace with the last one if it is being deleted. */
const namespaceFinalizeStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  prepareForUpdate(next, old) {
    next.status = old.status;
  },
  validateUpdate: (next) => [...validateFinalizers(next.metadata), ...validateFinalize(next)],
};

/** PUT namespaces/NAME/status: changes the status. */
const namespaceStatusStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  resetFields: ['spec'],
  prepareForUpdate(next, old) {
    next.spec = old.spec;
  },
  validateUpdate: (next) => [...validateFinalizers(next.metadata), ...validateStatus(next)],
};

/** Defaults of a decoded namespace: its name as a label, and a phase (kubernetes pkg/apis/core/v1/defaults.go). */
function setNamespaceDefaults(namespace: Namespace): void {
  setNameLabel(namespace);
  if (!namespace.status?.phase) namespace.status = { ...namespace.status, phase: ACTIVE };
}

/** Sets the name as a label: when an object is decoded, and again once a generated name is known. */
function setNameLabel({ metadata }: Pick<Namespace, 'metadata'>): void {
  if (!metadata.name || metadata.labels?.[NAME_LABEL] === metadata.name) return;
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}

/**
 * All finalizers are kept except `orphan` and `foregroundDeletion`, which namespaces get by rules of their own (kubernetes
 * registry/core/namespace/storage).
 */
function finalizersOfDeletion(finalizers: readonly string[], { orphanDependents, propagationPolicy }: DeleteOptions): readonly string[] {
  const wanted = (name: string, byOrphanDependents: boolean, policy: PropagationPolicy): boolean => {
    if (orphanDependents !== undefined) return orphanDependents === byOrphanDependents;
    return propagationPolicy === undefined ? finalizers.includes(name) : propagationPolicy === policy;
  };
  const collector = [
    ...(wanted(ORPHAN_FINALIZER, true, 'Orphan') ? [ORPHAN_FINALIZER] : []),
    ...(wanted(FOREGROUND_FINALIZER, false, 'Foreground') ? [FOREGROUND_FINALIZER] : []),
  ];
  if (
    collector.every((name) => finalizers.includes(name)) &&
    collector.length === finalizers.length - withoutCollector(finalizers).length
  ) {
    return finalizers;
  }
  return [...new Set([...withoutCollector(finalizers), ...collector])];
}

function withFinalizers(metadata: ObjectMeta, finalizers: readonly string[]): ObjectMeta {
  const { finalizers: _, ...rest } = metadata;
  return finalizers.length === 0 ? rest : { ...rest, finalizers: [...finalizers] };
}

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

/** The rules for a namespace (kubernetes pkg/apis/core/validation, ValidateNamespace). */
function validateNamespace({ metadata, spec }: Namespace): FieldError[] {
  return [
    ...validateCoreMetadata(metadata, { namespaced: false, validateName: nameIsDnsLabel }),
    ...(spec?.finalizers ?? []).flatMap((name) => validateFinalizer(name, 'spec.finalizers')),
  ];
}

/** The rules for PUT /finalize. */
function validateFinalize({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name, at) => validateFinalizer(name, `spec.finalizers[${at}]`));
}

/** The rules for PUT /status: the phase follows from whether the namespace is being deleted. */
function validateStatus(namespace: Namespace): FieldError[] {
  const phase = namespace.status?.phase ?? '';
  const alive = (namespace.metadata.deletionTimestamp ?? ZERO_TIME) === ZERO_TIME;
  const wrong = alive
    ? "may only be 'Active' if `deletionTimestamp` is empty"
    : "may only be 'Terminating' if `deletionTimestamp` is not empty";
  return phase === (alive ? ACTIVE : TERMINATING) ? [] : [invalid('status.Phase', new TypedString(phase), wrong)];
}

function validateFinalizer(name: string, field: string): FieldError[] {
  return [...validateQualifiedName(name).map((message) => invalid(field, name, message)), ...validateStandardFinalizer(name, field)];
}
