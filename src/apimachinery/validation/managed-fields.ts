import { type FieldError, invalid, tooLong, TypedString } from '../errors/field-error.js';
import type { ManagedFieldsEntry } from '../meta/object-meta.schema.js';
import { checkFieldManagerName } from './field-manager-name.js';
import { longerThan } from './messages.js';

const MAX_SUBRESOURCE_BYTES = 256;

/** Adds the errors of managedFields entries (apimachinery pkg/apis/meta/v1/validation ValidateManagedFields). */
export function checkManagedFields(entries: readonly ManagedFieldsEntry[], path: string, errors: FieldError[]): void {
  for (const [index, entry] of entries.entries()) {
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    const at = `${path}[${index}]`;
    if (operation !== 'Update' && operation !== 'Apply') {
      errors.push(invalid(`${at}.operation`, new TypedString(operation), 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') errors.push(invalid(`${at}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    checkFieldManagerName(manager, `${at}.manager`, errors);
    if (longerThan(subresource, MAX_SUBRESOURCE_BYTES)) errors.push(tooLong(`${at}.subresource`, MAX_SUBRESOURCE_BYTES));
  }
}
