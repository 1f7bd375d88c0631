import type { FieldError } from '../../errors/field-error.js';
import { invalid, notSupported, TypedString } from '../../errors/field-error.js';
import type { DeleteOptionsBody } from './delete-options-body.js';
import { checkDryRun, invalidOptions } from './invalid-options.js';
import type { QueryParameters } from './query-parameters.js';
import { boolParameter, intParameter } from './query-parameters.js';
import type { DeleteOptions, PropagationPolicy } from './request-options.js';

/** Options of DELETE without a body; throws a 400 or 422. Empty preconditions are none. */
export function parseDeleteOptions(query: QueryParameters): DeleteOptions {
  return deleteOptionsFromBody({
    dryRun: [...query.all('dryRun')],
    gracePeriodSeconds: intParameter(query, 'gracePeriodSeconds'),
    orphanDependents: boolParameter(query, 'orphanDependents'),
    propagationPolicy: query.first('propagationPolicy'),
    preconditions: {
      uid: query.first('uid') || undefined,
      resourceVersion: query.first('resourceVersion') || undefined,
    },
  });
}

/** Options of DELETE from its decoded body, beside which the query does not count; throws a 422. */
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
