import type { FieldError } from '../errors/field-error.js';
import { invalid, notSupported, TypedString } from '../errors/field-error.js';
import type { DeleteOptionsBody } from '../meta/delete-options.schema.js';
import { checkDryRun, invalidOptions } from './invalid-options.js';
import type { OptionValues, QueryParameters } from './query-options.js';
import { booleanOption, integerOption, optional, optionsReader, stringOption } from './query-options.js';
import { WRITE_OPTIONS } from './write-options.js';

/** The parameters of delete. As upstream, the OpenAPI documents do not list the preconditions. */
export const DELETE_OPTIONS = {
  dryRun: WRITE_OPTIONS.dryRun,
  gracePeriodSeconds: optional(integerOption('Seconds before the object is deleted; no effect on objects that need no grace period.')),
  ignoreStoreReadErrorWithClusterBreakingPotential: booleanOption('No effect on this server.'),
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
}

const readOptions = optionsReader(DELETE_OPTIONS);

/** Parses the options of a DELETE without a body; throws a 400 or 422. Empty preconditions are ignored. */
export function parseDeleteOptions(query: QueryParameters): DeleteOptions {
  const { uid, resourceVersion, ...options } = readOptions(query);
  return deleteOptionsFromBody({ ...options, preconditions: { uid: uid || undefined, resourceVersion: resourceVersion || undefined } });
}

/** Validates the options in the body of a DELETE, which replaces the query; throws a 422. */
export function deleteOptionsFromBody(body: DeleteOptionsBody): DeleteOptions {
  const { dryRun = [], gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions } = body;
  const errors: FieldError[] = [];
  if (propagationPolicy !== undefined) checkPolicy(propagationPolicy, orphanDependents, errors);
  checkDryRun(dryRun, errors);
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds,
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
    orphanDependents,
    propagationPolicy: propagationPolicy as PropagationPolicy | undefined,
  };
}

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

function checkPolicy(policy: string, orphanDependents: boolean | undefined, errors: FieldError[]): void {
  const shown = new TypedString(policy);
  if (orphanDependents !== undefined) {
    errors.push(invalid('propagationPolicy', shown, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (!POLICIES.includes(policy)) errors.push(notSupported('propagationPolicy', shown, [...POLICIES, 'nil']));
}
