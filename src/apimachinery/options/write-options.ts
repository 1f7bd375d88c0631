import type { FieldValidation } from '../codec/serializer/serializer.js';
import { type FieldError, forbidden, notSupported, required } from '../errors/field-error.js';
import { checkFieldManagerName } from '../validation/object-meta.js';
import {
  type OptionValues,
  type OptionsKind,
  type QueryParameters,
  booleanOption,
  checkDryRun,
  invalidOptions,
  optional,
  optionsReader,
  stringOption,
  stringsOption,
} from './query-options.js';

/** The parameters of create and update. */
export const WRITE_OPTIONS = {
  dryRun: stringsOption("With 'All', the request is fully validated but nothing is stored. Any other value is rejected."),
  fieldManager: stringOption('Name of the manager under which the changed fields are recorded; at most 128 printable characters.'),
  fieldValidation: stringOption(
    "Handling of unknown and duplicate fields: 'Ignore' drops them, 'Warn' (the default) drops them with a Warning header for each, 'Strict' rejects the request.",
  ),
};

/** The parameters of patch. */
export const PATCH_OPTIONS = {
  ...WRITE_OPTIONS,
  force: optional(booleanOption('Apply only: take over fields that other managers own. Not allowed with other patch types.')),
};

type RawWriteOptions = OptionValues<typeof WRITE_OPTIONS>;

/** Validated options of create, update and patch. */
export interface WriteOptions extends Omit<RawWriteOptions, 'dryRun'> {
  /** True for dryRun=All: the request is fully validated but nothing is stored. */
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

/** Validated options of patch. */
export interface PatchOptions extends WriteOptions {
  readonly force: boolean;
}

const DEFAULTS: WriteOptions = Object.freeze({ dryRun: false, fieldManager: '', fieldValidation: 'Warn' });

const readWriteOptions = optionsReader(WRITE_OPTIONS);
const readPatchOptions = optionsReader(PATCH_OPTIONS);

/** Parses the options of POST; throws a 422. */
export function parseCreateOptions(query: QueryParameters): WriteOptions {
  return validated(readWriteOptions(query), 'CreateOptions');
}

/** Parses the options of PUT; throws a 422. */
export function parseUpdateOptions(query: QueryParameters): WriteOptions {
  return validated(readWriteOptions(query), 'UpdateOptions');
}

/** Parses the options of PATCH; throws a 422. An apply patch (`apply`) requires fieldManager and allows force; others forbid force. */
export function parsePatchOptions(query: QueryParameters, apply: boolean): PatchOptions {
  const options = readPatchOptions(query);
  const errors: FieldError[] = [];
  if (apply && options.fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (!apply && options.force !== undefined) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  return { ...validated(options, 'PatchOptions', errors), force: options.force ?? false };
}

/** Throws the 422. `errors`: errors that precede those of this function. */
function validated({ dryRun, fieldManager, fieldValidation }: RawWriteOptions, kind: OptionsKind, errors: FieldError[] = []): WriteOptions {
  if (fieldManager === '' && dryRun.length === 0 && fieldValidation === '' && errors.length === 0) return DEFAULTS;
  checkFieldManagerName(fieldManager, 'fieldManager', errors);
  checkDryRun(dryRun, errors);
  if (!isFieldValidation(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  } else if (errors.length === 0) {
    return { dryRun: dryRun.length > 0, fieldManager: fieldManager.toWellFormed(), fieldValidation: fieldValidation || 'Warn' };
  }
  throw invalidOptions(kind, errors);
}

function isFieldValidation(text: string): text is FieldValidation | '' {
  return text === '' || text === 'Ignore' || text === 'Warn' || text === 'Strict';
}
