import { nameIsDnsLabel } from '../../../apimachinery/validation/name-validator.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import type { Strategy } from '../../../registry/strategy.js';
import type { Namespace } from './namespace.js';
import { ACTIVE, KUBERNETES_FINALIZER, NAME_LABEL, TERMINATING } from './namespace.js';
import { validateFinalize, validateMetadataUpdate, validateNamespace, validateStatus } from './namespace.validation.js';

/** Namespaces that cannot be deleted (apiserver pkg/admission/plugin/namespace/lifecycle). */
const IMMORTAL: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** The life of namespaces (kubernetes pkg/registry/core/namespace). */
export const namespaceStrategy: Strategy<Namespace> = {
  validateName: nameIsDnsLabel,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
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
  validateUpdate: (next) => [
    ...validateObjectMeta(next.metadata, { namespaced: false, validateName: nameIsDnsLabel }),
    ...validateNamespace(next),
    ...validateMetadataUpdate(next),
  ],

  prepareForDeletion(next) {
    delete next.metadata.deletionGracePeriodSeconds;
    next.status = { ...next.status, phase: TERMINATING };
  },
  holdsDeletion: ({ spec }) => (spec?.finalizers?.length ?? 0) > 0,
  forbidsDeletion: ({ metadata }) => (IMMORTAL.includes(metadata.name ?? '') ? 'this namespace may not be deleted' : undefined),
};

/** PUT namespaces/NAME/finalize: changes spec.finalizers, and removes the namespace with the last one if it is being deleted. */
export const namespaceFinalizeStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  prepareForUpdate(next, old) {
    next.status = old.status;
  },
  validateUpdate: validateFinalize,
};

/** PUT namespaces/NAME/status: changes the status. */
export const namespaceStatusStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  resetFields: ['spec'],
  prepareForUpdate(next, old) {
    next.spec = old.spec;
  },
  validateUpdate: validateStatus,
};

/** What a decoded namespace is completed with: its name as a label, and a phase (kubernetes pkg/apis/core/v1/defaults.go). */
export function setNamespaceDefaults(namespace: Namespace): void {
  setNameLabel(namespace);
  if (!namespace.status?.phase) namespace.status = { ...namespace.status, phase: ACTIVE };
}

/** The name as a label: set when an object is decoded, and again once a generated name is known. */
export function setNameLabel({ metadata }: Pick<Namespace, 'metadata'>): void {
  if (!metadata.name || metadata.labels?.[NAME_LABEL] === metadata.name) return;
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}
