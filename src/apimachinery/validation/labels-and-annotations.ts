import type { FieldError } from '../errors/field-error.js';
import { invalid, tooLong } from '../errors/field-error.js';
import { validateLabelValue, validateQualifiedName } from './label-syntax.js';

type Texts = Readonly<Record<string, string>>;

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Adds what is wrong with labels. The path never names the key; upstream's order of keys is that of a Go map, so none. */
export function checkLabels(labels: Texts, path: string, errors: FieldError[]): void {
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    for (const message of validateQualifiedName(key)) errors.push(invalid(path, key, message));
    for (const message of validateLabelValue(value)) errors.push(invalid(path, value, message));
  }
}

/** Adds what is wrong with annotations: keys are label keys in any case, and all of them together have a limit. */
export function checkAnnotations(annotations: Texts, path: string, errors: FieldError[]): void {
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
}
