import type { FieldError } from '../apimachinery/errors/field-error.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { NameValidator } from '../apimachinery/validation/name-validator.js';

/**
 * What a resource means, as pure functions over its hub type (upstream: RESTCreateStrategy, RESTUpdateStrategy,
 * RESTDeleteStrategy in apiserver pkg/registry/rest). A hook is handed all it needs and calls nobody. `next` is a fresh object
 * that hooks may change; `old` is shared and must not be.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  readonly validateName: NameValidator;
  /** PUT and apply to a missing name create it. */
  readonly allowCreateOnUpdate: boolean;
  /** PUT without a resourceVersion replaces whatever is there. */
  readonly allowUnconditionalUpdate: boolean;

  /** Top-level fields that the prepare hooks set back: writes gain no ownership of them (upstream: ResetFieldsStrategy). */
  readonly resetFields?: readonly string[];

  /** Runs after metadata is filled and before validation: drops or sets what clients may not. */
  prepareForCreate(next: T): void;
  prepareForUpdate(next: T, old: T): void;

  /** The resource's own rules, in upstream's order; metadata rules run beside it (before-create.ts, before-update.ts). */
  validate(next: T): FieldError[];
  validateUpdate(next: T, old: T): FieldError[];

  /** Changes made when deletion only marks the object (Namespace sets its phase). Runs after deletionTimestamp is set. */
  prepareForDeletion?(next: T): void;
  /** Whether something beside metadata.finalizers keeps a marked object alive (Namespace: spec.finalizers). */
  holdsDeletion?(object: T): boolean;
  /** Refusal to delete, as the reason of a 403; undefined: allowed. */
  forbidsDeletion?(object: T): string | undefined;
}
