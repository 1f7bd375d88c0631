import { badRequest } from '../../errors/status-errors.js';
import type { QueryParameters } from './query-parameters.js';
import { boolParameter } from './query-parameters.js';
import type { GetOptions } from './request-options.js';

const NEWEST: GetOptions = Object.freeze({ resourceVersion: '' });

/** Options of GET for one object; throws a 400 for the export parameter of old (apiserver handlers/get.go). */
export function parseGetOptions(query: QueryParameters): GetOptions {
  if (boolParameter(query, 'export')) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  const resourceVersion = query.first('resourceVersion');
  return resourceVersion ? { resourceVersion } : NEWEST;
}
