import type { ObjectMeta } from '../../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions, PropagationPolicy } from '../../../apimachinery/options/delete-options.js';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, withoutCollector } from '../../../registry/rules/before-delete.js';
import type { Strategy } from '../../../registry/resource/resource-definition.js';
import { type Namespace, ACTIVE, KUBERNETES_FINALIZER, NAME_LABEL, TERMINATING } from './namespace.schema.js';
import { validateFinalizers } from '../core-metadata.validation.js';
import { validateFinalize, validateNamespace, validateStatus } from './namespace.validation.js';

/** Namespaces that cannot be deleted (apiserver pkg/admission/plugin/namespace/lifecycle). */
const IMMORTAL: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** The strategy of namespaces (kubernetes pkg/registry/core/namespace). */
export const namespaceStrategy: Strategy<Namespace> = {
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
export const namespaceFinalizeStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  prepareForUpdate(next, old) {
    next.status = old.status;
  },
  validateUpdate: (next) => [...validateFinalizers(next.metadata), ...validateFinalize(next)],
};

/** PUT namespaces/NAME/status: changes the status. */
export const namespaceStatusStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  resetFields: ['spec'],
  prepareForUpdate(next, old) {
    next.spec = old.spec;
  },
  validateUpdate: (next) => [...validateFinalizers(next.metadata), ...validateStatus(next)],
};

/** Defaults of a decoded namespace: its name as a label, and a phase (kubernetes pkg/apis/core/v1/defaults.go). */
export function setNamespaceDefaults(namespace: Namespace): void {
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
