import { type FieldError, invalid, notSupported, TypedString } from '../errors/field-error.js';
import type { DeleteOptionsBody } from '../meta/delete-options.schema.js';
import {
  type OptionValues,
  type QueryParameters,
  booleanOption,
  checkDryRun,
  integerOption,
  invalidOptions,
  optional,
  optionsReader,
  stringOption,
} from './query-options.js';
import { WRITE_OPTIONS } from './write-options.js';

/** The parameters of delete. As upstream, the OpenAPI documents do not list the preconditions. */
export const DELETE_OPTIONS = {
  dryRun: WRITE_OPTIONS.dryRun,
  gracePeriodSeconds: optional(integerOption('Seconds before the object is deleted; no effect on objects that need no grace period.')),
  ignoreStoreReadErrorWithClusterBreakingPotential: booleanOption(
    'Deletes an object that is stored in a form that cannot be decoded. Refused for all other objects.',
  ),
  orphanDependents: optional(booleanOption('Deprecated: use propagationPolicy. Whether dependents are orphaned instead of deleted.')),
  propagationPolicy: optional(stringOption("What happens to dependents: 'Orphan', 'Background' or 'Foreground'.")),
  uid: optional(stringOption()),
  /** A precondition, compared as text. */
  resourceVersion: optional(stringOption()),
};

/** How a deletion affects dependents. */
export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

type RawDeleteOptions = OptionValues<typeof DELETE_OPTIONS>;

/** Validated options of DELETE, from the body or else the query. */
export interface DeleteOptions extends Omit<RawDeleteOptions, 'dryRun' | 'ignoreStoreReadErrorWithClusterBreakingPotential'> {
  /** True for dryRun=All: the request is fully validated but nothing is stored. */
  readonly dryRun: boolean;
  readonly propagationPolicy?: PropagationPolicy;
  /** Delete an object exactly if what is stored cannot be decoded (`ignoreStoreReadErrorWithClusterBreakingPotential`). */
  readonly unsafe?: boolean;
}

const readOptions = optionsReader(DELETE_OPTIONS);

/** Parses the options of a DELETE without a body; throws a 400 or 422. Empty preconditions are ignored. */
export function parseDeleteOptions(query: QueryParameters): DeleteOptions {
  const { uid, resourceVersion, ...options } = readOptions(query);
  const preconditions = { uid: uid || undefined, resourceVersion: resourceVersion || undefined };
  return deleteOptionsFromBody({ ...options, ...(uid || resourceVersion ? { preconditions } : {}) });
}

/** Validates the options in the body of a DELETE, which replaces the query; throws a 422. */
export function deleteOptionsFromBody(body: DeleteOptionsBody): DeleteOptions {
  const { dryRun = [], gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions } = body;
  const errors: FieldError[] = [];
  if (propagationPolicy !== undefined) checkPolicy(propagationPolicy, orphanDependents, errors);
  checkDryRun(dryRun, errors);
  const unsafe = body[UNSAFE] === true;
  if (unsafe) checkUnsafe(body, errors);
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds,
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
    orphanDependents,
    propagationPolicy: propagationPolicy as PropagationPolicy | undefined,
    ...(unsafe ? { unsafe } : {}),
  };
}

const UNSAFE = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** A deletion of something unreadable can depend on nothing that would have to be read. */
function checkUnsafe(body: DeleteOptionsBody, errors: FieldError[]): void {
  for (const option of ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const) {
    if (body[option] !== undefined) errors.push(invalid(UNSAFE, true, `cannot be set together with .${option}`));
  }
}

/** Throws the 422 for the deletion of a collection. */
export function refuseUnsafeCollection({ unsafe }: DeleteOptions): void {
  if (!unsafe) return;
  const detail = 'is not allowed with DELETECOLLECTION, try again after removing the option';
  throw invalidOptions('DeleteOptions', [invalid(UNSAFE, true, detail)]);
}

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

function checkPolicy(policy: string, orphanDependents: boolean | undefined, errors: FieldError[]): void {
  const shown = new TypedString(policy);
  if (orphanDependents !== undefined) {
    errors.push(invalid('propagationPolicy', shown, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (!POLICIES.includes(policy)) errors.push(notSupported('propagationPolicy', shown, [...POLICIES, 'nil']));
}
