import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { namespaceConditionV1Schema, namespaceV1Schema } from './v1/namespace-v1.schema.js';

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
