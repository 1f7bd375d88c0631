import { type FieldError, forbidden, invalid } from '../errors/field-error.js';
import { quote } from '../go/quote.js';
import { validateQualifiedName } from './label-syntax.js';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Adds the errors of finalizer names. */
export function checkFinalizers(finalizers: readonly string[], path: string, errors: FieldError[]): void {
  for (const finalizer of finalizers) {
    for (const message of validateQualifiedName(finalizer)) errors.push(invalid(path, finalizer, message));
  }
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(invalid(path, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`));
  }
}

/** Adds an error if finalizers are added to an object that is being deleted. */
export function checkNoNewFinalizers(next: readonly string[], old: readonly string[], path: string, errors: FieldError[]): void {
  const added = [...new Set(next)].filter((finalizer) => !old.includes(finalizer)).sort();
  if (added.length === 0) return;
  const shown = `[]string{${added.map(quote).join(', ')}}`;
  errors.push(forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`));
}
