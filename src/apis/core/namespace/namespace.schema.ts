import { objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, list, requiredField, string, struct, time } from '../../../apimachinery/schema/struct-type.js';

const V1 = 'io.k8s.api.core.v1';

/** core v1 NamespaceSpec. */
const namespaceSpecV1Schema = struct(`${V1}.NamespaceSpec`, 'Specification of a namespace.', [
  field(
    'finalizers',
    1,
    list(string('v1.FinalizerName')),
    'omitEmpty',
    'Names of components that have work to do before the namespace is removed.',
  ),
]);

/** core v1 NamespaceCondition. */
const namespaceConditionV1Schema = struct(`${V1}.NamespaceCondition`, 'One aspect of the state of a namespace.', [
  requiredField('type', 1, string('v1.NamespaceConditionType'), 'Which aspect.'),
  requiredField('status', 2, string('v1.ConditionStatus'), 'True, False or Unknown.'),
  field('lastTransitionTime', 4, time(), 'always', 'When the status last changed.'),
  field('reason', 5, string(), 'omitEmpty', 'Machine-readable reason of the change.'),
  field('message', 6, string(), 'omitEmpty', 'Human-readable description of the change.'),
]);

const namespacePhase = string('v1.NamespacePhase', ['Active', 'Terminating']);

/** core v1 NamespaceStatus. */
const namespaceStatusV1Schema = struct(`${V1}.NamespaceStatus`, 'The state of a namespace.', [
  field('phase', 1, namespacePhase, 'omitEmpty', "'Active', or 'Terminating' while it is being deleted."),
  field(
    'conditions',
    2,
    list(namespaceConditionV1Schema, { semantics: 'map', mapKeys: ['type'], patchStrategy: 'merge', patchMergeKey: 'type' }),
    'omitEmpty',
    'Conditions that delay a deletion.',
  ),
]);

/** core v1 Namespace. */
export const namespaceV1Schema = struct(`${V1}.Namespace`, 'A scope for names.', [
  ...objectFields(),
  field('spec', 2, namespaceSpecV1Schema, 'always', 'Specification of the namespace.'),
  field('status', 3, namespaceStatusV1Schema, 'always', 'State of the namespace, maintained by the server.'),
]);

/** A condition of a namespace: something that delays its deletion. */
export type NamespaceCondition = TypeOf<typeof namespaceConditionV1Schema>;

/** The hub type of namespaces; it has the shape of v1. */
export type Namespace = TypeOf<typeof namespaceV1Schema>;

/** The finalizer in spec.finalizers that the namespace controller removes once the content is gone. */
export const KUBERNETES_FINALIZER = 'kubernetes';

/** A label with the namespace's name, for selectors. The server sets it. */
export const NAME_LABEL = 'kubernetes.io/metadata.name';

export const ACTIVE = 'Active';
export const TERMINATING = 'Terminating';
