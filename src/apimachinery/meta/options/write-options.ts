import { wellFormed } from '../../codec/json/go-string.js';
import type { FieldError } from '../../errors/field-error.js';
import { notSupported } from '../../errors/field-error.js';
import { checkFieldManagerName } from '../../validation/field-manager-name.js';
import type { OptionsKind } from './invalid-options.js';
import { checkDryRun, invalidOptions } from './invalid-options.js';
import type { QueryParameters } from './query-parameters.js';
import type { WriteOptions } from './request-options.js';

const DEFAULTS: WriteOptions = Object.freeze({ dryRun: false, fieldManager: '', fieldValidation: 'Warn' });

/** What create, update and patch have in common; throws the 422. `errors`: findings that stand before its own. */
export function parseWriteOptions(query: QueryParameters, kind: OptionsKind, errors: FieldError[] = []): WriteOptions {
  const fieldManager = query.first('fieldManager') ?? '';
  const dryRun = query.all('dryRun');
  const fieldValidation = query.first('fieldValidation') ?? '';
  if (fieldManager === '' && dryRun.length === 0 && fieldValidation === '' && errors.length === 0) return DEFAULTS;
  checkFieldManagerName(fieldManager, 'fieldManager', errors);
  checkDryRun(dryRun, errors);
  if (!isFieldValidation(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  } else if (errors.length === 0) {
    return { dryRun: dryRun.length > 0, fieldManager: wellFormed(fieldManager), fieldValidation: fieldValidation || 'Warn' };
  }
  throw invalidOptions(kind, errors);
}

function isFieldValidation(text: string): text is WriteOptions['fieldValidation'] | '' {
  return text === '' || text === 'Ignore' || text === 'Warn' || text === 'Strict';
}
