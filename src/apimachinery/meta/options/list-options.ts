import type { FieldError } from '../../errors/field-error.js';
import { forbidden, notSupported, TypedString } from '../../errors/field-error.js';
import { parseFieldSelector } from '../../selectors/field-selector.js';
import { parseLabelSelector } from '../../selectors/label-selector.js';
import { invalidOptions } from './invalid-options.js';
import type { QueryParameters } from './query-parameters.js';
import { boolParameter, intParameter } from './query-parameters.js';
import type { ListOptions } from './request-options.js';

/** The options before they are validated, when resourceVersionMatch may be anything. */
interface RawListOptions extends Omit<ListOptions, 'resourceVersionMatch'> {
  readonly resourceVersionMatch: string;
}

/**
 * Options of list, watch and deletecollection; throws a 400 or 422. Selectors are checked for syntax, since that comes before all
 * validation. `watchPath`: a path below `/watch/` watches whatever the parameter says, but is defaulted and validated by the
 * parameter alone (apiserver handlers/get.go ListResource).
 */
export function parseListOptions(query: QueryParameters, watchPath = false): ListOptions {
  const options = withDefaults(readListOptions(query));
  const errors = options.watch ? watchFindings(options) : listFindings(options);
  if (errors.length > 0 || !isMatch(options.resourceVersionMatch)) throw invalidOptions('ListOptions', errors);
  return { ...options, watch: watchPath || options.watch, resourceVersionMatch: options.resourceVersionMatch };
}

/** The options as they stand in the query, before defaults and validation; throws the 400 of a value that cannot be read. */
export function readListOptions(query: QueryParameters): RawListOptions {
  const text = (name: string) => query.first(name) ?? '';
  const options = {
    labelSelector: text('labelSelector'),
    fieldSelector: text('fieldSelector'),
    shardSelector: text('shardSelector'),
    watch: boolParameter(query, 'watch') ?? false,
    allowWatchBookmarks: boolParameter(query, 'allowWatchBookmarks') ?? false,
    resourceVersion: text('resourceVersion'),
    resourceVersionMatch: text('resourceVersionMatch'),
    timeoutSeconds: intParameter(query, 'timeoutSeconds'),
    limit: intParameter(query, 'limit') ?? 0,
    continue: text('continue'),
    sendInitialEvents: boolParameter(query, 'sendInitialEvents'),
  };
  parseLabelSelector(options.labelSelector);
  parseFieldSelector(options.fieldSelector);
  return options;
}

/** A watch from nowhere begins with what is there (apimachinery pkg/apis/meta/internalversion/defaults.go). */
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
