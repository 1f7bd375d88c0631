import type { FieldError } from '../../errors/field-error.js';
import { forbidden, required } from '../../errors/field-error.js';
import type { QueryParameters } from './query-parameters.js';
import { boolParameter } from './query-parameters.js';
import type { PatchOptions } from './request-options.js';
import { parseWriteOptions } from './write-options.js';

/** Options of PATCH; throws a 422. `apply`: an apply patch, which must say who applies and may use force; others may not. */
export function parsePatchOptions(query: QueryParameters, apply: boolean): PatchOptions {
  const force = boolParameter(query, 'force');
  const errors: FieldError[] = [];
  if (apply && !query.first('fieldManager')) errors.push(required('fieldManager', 'is required for apply patch'));
  if (!apply && force !== undefined) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  return { ...parseWriteOptions(query, 'PatchOptions', errors), force: force ?? false };
}
