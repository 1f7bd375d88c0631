import type { QueryParameters } from './query-parameters.js';
import type { CreateOptions } from './request-options.js';
import { parseWriteOptions } from './write-options.js';

/** Options of POST; throws a 422. */
export function parseCreateOptions(query: QueryParameters): CreateOptions {
  return parseWriteOptions(query, 'CreateOptions');
}
