import type { ApiError } from '../../apimachinery/errors/api-error.js';
import { quote } from '../../apimachinery/go/go-string.js';
import { parseResourceVersion, ResourceVersionError } from '../../storage/revisions.js';

/** Parses a resourceVersion parameter; '' and '0' are 0. `refuse` turns the parser's text into the error to throw. */
export function parseVersion(text: string, refuse: (problem: string) => ApiError): bigint {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    if (error instanceof ResourceVersionError) throw refuse(error.message);
    throw error;
  }
}

/** The text of upstream's watch cache for a malformed version (apiserver pkg/storage/api_object_versioner.go). */
export function invalidVersionText(text: string, problem: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: ${problem}`;
}
