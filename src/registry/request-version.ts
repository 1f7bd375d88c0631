import type { ApiError } from '../apimachinery/errors/api-error.js';
import { quote } from '../apimachinery/errors/field-error.js';
import { parseResourceVersion, ResourceVersionError } from '../storage/resource-version.js';

/** A resourceVersion parameter; '' and '0' are 0. `refuse` makes the answer to a malformed one of the parser's text. */
export function parseVersion(text: string, refuse: (problem: string) => ApiError): bigint {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    if (error instanceof ResourceVersionError) throw refuse(error.message);
    throw error;
  }
}

/** How upstream's watch cache words it (apiserver pkg/storage/api_object_versioner.go). */
export function invalidVersionText(text: string, problem: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: ${problem}`;
}
