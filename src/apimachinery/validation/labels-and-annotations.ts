import { type FieldError, invalid, tooLong } from '../errors/field-error.js';
import { validateLabelValue, validateQualifiedName } from './label-syntax.js';

type Texts = Readonly<Record<string, string>>;

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Adds the errors of labels. The path does not contain the key. Upstream's order is that of a Go map, which is random. */
export function checkLabels(labels: Texts, path: string, errors: FieldError[]): void {
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    for (const message of validateQualifiedName(key)) errors.push(invalid(path, key, message));
    for (const message of validateLabelValue(value)) errors.push(invalid(path, value, message));
  }
}

/** Adds the errors of annotations: keys follow the rules of label keys, ignoring case, and their total size is limited. */
export function checkAnnotations(annotations: Texts, path: string, errors: FieldError[]): void {
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
}
