import { ApiError } from '../../apimachinery/errors/api-error.js';
import { readListOptions } from '../../apimachinery/options/list-options.js';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.js';
import { isPathSegmentName } from '../../apimachinery/validation/names.js';
import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';
import type { Query, RequestUrl } from './query.js';

/**
 * The target of a request, parsed once from its path (apiserver endpoints/request/requestinfo.go). Authorization depends on it, even for
 * resources and versions that are not served.
 */
export interface RequestInfo extends AuthorizationAttributes {
  /** `api` or `apis`; '' for other paths. */
  readonly apiPrefix: string;
}

/** A path that ends after a special verb. Upstream sends a plain-text 500; here it is the client's error. */
export class UndeterminedRequestError extends Error {}

/** Subresources of a namespace, as opposed to resources within it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
  // Of Terraform's http backend; upstream knows no verb for these (docs/locks.md).
  ['LOCK', 'update'],
  ['UNLOCK', 'delete'],
]);

/** A RequestInfo under construction. */
type Draft = { -readonly [Key in keyof RequestInfo]: RequestInfo[Key] };

/** Parses method, path and, if the verb depends on it, the query. Throws UndeterminedRequestError. */
export function parseRequestInfo(method: string, { path, segments }: RequestUrl, query: () => Query): RequestInfo {
  const prefix = segments[0] ?? '';
  // Index of the version: after the group, which core does not have.
  const at = prefix === 'apis' ? 2 : 1;
  if ((prefix !== 'api' && prefix !== 'apis') || segments.length < at + 2) return nonResource(method, path);
  const info = readTarget(method, segments, at, path);
  if (info.name === '' && info.verb === 'get') listOrWatch(info, query());
  if (info.name === '' && info.verb === 'delete') info.verb = 'deletecollection';
  return info;
}

function nonResource(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    verb: method.toLowerCase(),
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    path,
  };
}

/** `at`: index of the version. */
function readTarget(method: string, segments: readonly string[], at: number, path: string): Draft {
  const segment = (place: number): string => segments[place] ?? '';
  const first = segment(at + 1);
  const special = first === 'watch' || first === 'proxy';
  const start = special ? at + 2 : at + 1;
  if (special && segments.length <= start) throw new UndeterminedRequestError('unable to determine kind and namespace from url');
  const inNamespace = segment(start) === 'namespaces';
  const target = inNamespace && isBelowNamespace(segments, start) ? start + 2 : start;
  return {
    isResourceRequest: true,
    apiPrefix: segment(0),
    apiGroup: at === 2 ? segment(1) : '',
    apiVersion: segment(at),
    verb: special ? first : (VERBS.get(method) ?? ''),
    namespace: inNamespace ? segment(start + 1) : '',
    resource: segment(target),
    subresource: first === 'proxy' ? '' : segment(target + 2),
    name: segment(target + 1),
    path,
  };
}

/** `namespaces/NAME/RESOURCE`, unless what follows belongs to the namespace itself. */
function isBelowNamespace(segments: readonly string[], start: number): boolean {
  return segments.length > start + 2 && !NAMESPACE_SUBRESOURCES.has(segments[start + 2] ?? '');
}

/** A GET without a name lists or watches; `metadata.name=x` in the field selector pins the name, for RBAC's resourceNames. */
function listOrWatch(target: Draft, query: Query): void {
  const watch = query.first('watch');
  target.verb = watch === undefined || watch === '0' || watch.toLowerCase() === 'false' ? 'list' : 'watch';
  if (query.first('fieldSelector')?.includes('metadata.name')) target.name = pinnedName(query);
}

/** The name that the selector requires; '' if there is none, or if any parameter of the list is malformed. */
function pinnedName(query: Query): string {
  try {
    const name = parseFieldSelector(readListOptions(query).fieldSelector).exactValue('metadata.name') ?? '';
    return isPathSegmentName(name, false).length === 0 ? name : '';
  } catch (error) {
    if (error instanceof ApiError) return '';
    throw error;
  }
}
