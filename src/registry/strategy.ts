import type { FieldError } from '../apimachinery/errors/field-error.js';
import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { DeleteOptions } from '../apimachinery/meta/options/request-options.js';

/**
 * What a resource means, as pure functions over its hub type (upstream: RESTCreateStrategy, RESTUpdateStrategy,
 * RESTDeleteStrategy in apiserver pkg/registry/rest). A hook is handed all it needs and calls nobody. `next` is a fresh object
 * that hooks may change; `old` is shared and must not be.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** PUT and apply to a missing name create it. */
  readonly allowCreateOnUpdate: boolean;
  /** PUT without a resourceVersion replaces whatever is there. */
  readonly allowUnconditionalUpdate: boolean;

  /** Top-level fields that the prepare hooks set back: writes gain no ownership of them (upstream: ResetFieldsStrategy). */
  readonly resetFields?: readonly string[];

  /** Runs after metadata is filled and before validation: drops or sets what clients may not. */
  prepareForCreate(next: T): void;
  prepareForUpdate(next: T, old: T): void;

  /** All rules for a new object in upstream's order, those for its metadata included, which most resources have first. */
  validate(next: T): readonly FieldError[];
  /**
   * The rules for a changed object, after those that hold for the metadata of every resource. `changes` is what the latter found in
   * the metadata that changed: most resources look again, and tell it twice.
   */
  validateUpdate(next: T, old: T, changes: readonly FieldError[]): readonly FieldError[];

  /** The garbage collector takes no notice of the resource: deletions leave no finalizers of it (Events). */
  readonly withoutGarbageCollection?: boolean;
  /** The object as its first deletion leaves it, where that only ever marks it; `now` is wire text (Namespace). */
  markedForDeletion?(live: T, options: DeleteOptions, now: string): T;
  /** Whether something beside metadata.finalizers keeps a marked object alive (Namespace: spec.finalizers). */
  holdsDeletion?(object: T): boolean;
  /** Refusal to delete, as the reason of a 403; undefined: allowed. */
  forbidsDeletion?(object: T): string | undefined;
}
