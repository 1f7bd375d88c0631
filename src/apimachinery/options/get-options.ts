import { badRequest } from '../errors/status-errors.js';
import { type OptionValues, type QueryParameters, booleanOption, optionsReader, stringOption } from './query-options.js';

/** The parameters of GET for one object. As upstream, the OpenAPI documents do not list them. */
const GET_OPTIONS = {
  /** Empty: the newest state. */
  resourceVersion: stringOption(),
};

const REMOVED_OPTIONS = { export: booleanOption() };

/** Options of GET for one object. */
export type GetOptions = OptionValues<typeof GET_OPTIONS>;

const readOptions = optionsReader(GET_OPTIONS);
const readRemovedOptions = optionsReader(REMOVED_OPTIONS);

/** Parses the options of GET; throws a 400 for the export parameter, which was removed (apiserver handlers/get.go). */
export function parseGetOptions(query: QueryParameters): GetOptions {
  if (readRemovedOptions(query).export) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  return readOptions(query);
}
