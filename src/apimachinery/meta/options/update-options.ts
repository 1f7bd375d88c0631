import type { QueryParameters } from './query-parameters.js';
import type { UpdateOptions } from './request-options.js';
import { parseWriteOptions } from './write-options.js';

/** Options of PUT; throws a 422. */
export function parseUpdateOptions(query: QueryParameters): UpdateOptions {
  return parseWriteOptions(query, 'UpdateOptions');
}
