import { type FieldError, forbidden, notSupported, TypedString } from '../errors/field-error.js';
import { parseFieldSelector } from '../selectors/field-selector.js';
import { parseLabelSelector } from '../selectors/label-selector.js';
import {
  type OptionValues,
  type QueryParameters,
  booleanOption,
  defaultsOf,
  integerOption,
  invalidOptions,
  optional,
  optionsReader,
  stringOption,
} from './query-options.js';

/** The parameters of list, watch and deletecollection, in the order of upstream's struct. */
export const LIST_OPTIONS = {
  labelSelector: stringOption('Selects objects by labels, as in app=web,tier notin (cache).'),
  fieldSelector: stringOption('Selects objects by fields, as in metadata.name=x.'),
  shardSelector: stringOption(
    "Selects a share of all objects by hash: shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000').",
  ),
  watch: booleanOption('Stream changes instead of listing the objects.'),
  allowWatchBookmarks: booleanOption('Watch only: send BOOKMARK events, which report the progress of the watch.'),
  resourceVersion: stringOption(
    "Version to read: empty for the newest, '0' for any, or a specific one (see resourceVersionMatch). For a watch, the version to start from.",
  ),
  resourceVersionMatch: stringOption("How resourceVersion is interpreted: 'NotOlderThan' or 'Exact'."),
  /** Undefined or 0: the server's default. Negative: the watch ends immediately. */
  timeoutSeconds: optional(integerOption('Longest duration of a watch, in seconds.')),
  /** Negative or 0: no limit. */
  limit: integerOption('Largest number of objects in the response. If there are more, the response contains a continue token.'),
  continue: stringOption(
    'Token of the previous response, to get the next page of the same list. It expires after some minutes; the 410 then contains a token to continue without consistency.',
  ),
  sendInitialEvents: optional(
    booleanOption(
      'Watch only: start with an ADDED event for every object, followed by a bookmark. Requires resourceVersionMatch=NotOlderThan.',
    ),
  ),
};

/** The options before defaults and validation. */
type RawListOptions = OptionValues<typeof LIST_OPTIONS>;

/** Options of list, watch and deletecollection after defaulting and validation; selectors and versions are still text. */
export interface ListOptions extends RawListOptions {
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
}

/** The options of a list without parameters: all objects in their newest state. */
export const DEFAULT_LIST_OPTIONS: ListOptions = Object.freeze({ ...defaultsOf(LIST_OPTIONS), resourceVersionMatch: '' });

const readOptions = optionsReader(LIST_OPTIONS);

/**
 * Parses the options of list, watch and deletecollection; throws a 400 or 422. The syntax of selectors is checked first. A path below
 * `/watch/` (`watchPath`) watches regardless of the `watch` parameter, but only the parameter affects defaults and validation (apiserver
 * handlers/get.go ListResource).
 */
export function parseListOptions(query: QueryParameters, watchPath = false): ListOptions {
  const options = withDefaults(readListOptions(query));
  const errors = options.watch ? watchFindings(options) : listFindings(options);
  if (errors.length > 0 || !isMatch(options.resourceVersionMatch)) throw invalidOptions('ListOptions', errors);
  return { ...options, watch: watchPath || options.watch, resourceVersionMatch: options.resourceVersionMatch };
}

/** Parses the options without defaults and validation; throws the 400 for an unparsable value or a malformed selector. */
export function readListOptions(query: QueryParameters): RawListOptions {
  const options = readOptions(query);
  parseLabelSelector(options.labelSelector);
  parseFieldSelector(options.fieldSelector);
  return options;
}

/** A watch without a resourceVersion starts with the existing objects (apimachinery pkg/apis/meta/internalversion/defaults.go). */
function withDefaults(options: RawListOptions): RawListOptions {
  const { watch, resourceVersion, resourceVersionMatch, sendInitialEvents } = options;
  if (!watch || sendInitialEvents !== undefined || resourceVersionMatch !== '') return options;
  if (resourceVersion !== '' && resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function isMatch(text: string): text is ListOptions['resourceVersionMatch'] {
  return text === '' || text === 'Exact' || text === 'NotOlderThan';
}

const MATCH = 'resourceVersionMatch';
const MATCH_WITH_CONTINUE = forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided');

function listFindings(options: RawListOptions): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '') errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '') errors.push(MATCH_WITH_CONTINUE);
    if (!isMatch(match)) errors.push(notSupported(MATCH, new TypedString(match), ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchFindings(options: RawListOptions): FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, new TypedString(match), ['NotOlderThan']));
  if (options.continue !== '') errors.push(MATCH_WITH_CONTINUE);
  return errors;
}
