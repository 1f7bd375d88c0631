import type { FieldError } from '../../apimachinery/errors/field-error.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { Sequel } from '../../storage/object-store.js';

/**
 * The rules of a resource as pure functions over its hub type (upstream: RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy in
 * apiserver pkg/registry/rest). Hooks do no I/O and depend on their arguments alone. They may change `next`, which is a fresh object; `old`
 * is shared and read-only.
 */
export interface Strategy<T extends KubeObject = KubeObject> {
  /** Whether PUT to a missing name creates the object. */
  readonly allowCreateOnUpdate: boolean;
  /** Whether PUT without a resourceVersion replaces any current state. */
  readonly allowUnconditionalUpdate: boolean;

  /** Top-level fields that the prepare hooks reset; writers gain no ownership of them (upstream: ResetFieldsStrategy). */
  readonly resetFields?: readonly string[];

  /** Runs after system metadata is filled in and before validation: drops or sets fields that clients do not control. */
  prepareForCreate?(next: T): void;
  prepareForUpdate?(next: T, old: T): void;

  /** Validates a new object, in upstream's order of errors, including its metadata. */
  validate(next: T): readonly FieldError[];
  /** Validates a changed object, after the common rules for metadata and for changes to it. */
  validateUpdate(next: T, old: T): readonly FieldError[];

  /**
   * What a write leads to beside its object, such as the terms of a lease that it ends and begins; undefined: nothing. `old` is undefined for a
   * creation, `next` for a deletion.
   */
  sequelOf?(old: T | undefined, next: T | undefined): Sequel | undefined;

  /** How long the commit of an update may be put off, so that others share it, in milliseconds; absent or 0: it is urgent. */
  mayWaitMs?(next: T, old: T): number;

  /** Objects that cannot be decoded cannot be deleted either (upstream: no CorruptObjectDeleterProvider). */
  readonly withoutUnsafeDeletion?: boolean;
  /** Deletions set no garbage collector finalizers (Events). */
  readonly withoutGarbageCollection?: boolean;
  /** Returns the object as its first deletion leaves it, for resources that are only ever marked (Namespace). `now` is wire text. */
  markedForDeletion?(live: T, options: DeleteOptions, now: string): T;
  /** Whether something besides metadata.finalizers keeps a marked object alive (Namespace: spec.finalizers). */
  holdsDeletion?(object: T): boolean;
  /** Returns the reason of a 403 if the object must not be deleted; undefined: allowed. */
  forbidsDeletion?(object: T): string | undefined;
}

/** For objects that no client writes: no verb calls any of these hooks. */
export const NO_LIFE: Omit<Strategy, 'markedForDeletion'> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: () => [],
  validateUpdate: () => [],
};
