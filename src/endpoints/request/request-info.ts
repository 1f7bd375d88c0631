import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';
import type { Query } from './query.js';
import type { RequestUrl } from './url.js';

/**
 * What a path asks for, found out once per request (apiserver endpoints/request/requestinfo.go). It is what authorization sees,
 * also for resources and versions that are not served.
 */
export interface RequestInfo extends AuthorizationAttributes {
  /** `api` or `apis`; '' for other paths. */
  readonly apiPrefix: string;
}

/** A path that names a special verb and nothing else. Upstream answers it with a plain-text 500; it is the client's mistake. */
export class UndeterminedRequestError extends Error {}

/** Segments behind a namespace's name that belong to the namespace itself. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

interface Target {
  verb: string;
  namespace: string;
  resource: string;
  name: string;
  subresource: string;
}

/** Reads method, path and, where the verb depends on it, the query. Throws UndeterminedRequestError. */
export function parseRequestInfo(method: string, { path, segments }: RequestUrl, query: () => Query): RequestInfo {
  const [prefix = ''] = segments;
  // Where the version stands: behind the group, which core does not have.
  const at = prefix === 'apis' ? 2 : 1;
  if ((prefix !== 'api' && prefix !== 'apis') || segments.length < at + 2) return nonResource(method, path);
  const target = parseTarget(method, segments.slice(at + 1), path);
  if (target.name === '' && target.verb === 'get') listOrWatch(target, query());
  if (target.name === '' && target.verb === 'delete') target.verb = 'deletecollection';
  const [apiGroup, apiVersion] = [at === 2 ? (segments[1] ?? '') : '', segments[at] ?? ''];
  return Object.freeze({ isResourceRequest: true, apiPrefix: prefix, apiGroup, apiVersion, path, ...target });
}

function nonResource(method: string, path: string): RequestInfo {
  return Object.freeze({
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
  });
}

function parseTarget(method: string, segments: readonly string[], path: string): Target {
  const [first = ''] = segments;
  const special = first === 'watch' || first === 'proxy';
  if (special && segments.length < 2) throw new UndeterminedRequestError(`unable to determine kind and namespace from url, ${path}`);
  const parts = special ? segments.slice(1) : segments;
  const [resource = '', name = '', subresource = ''] = isBelowNamespace(parts) ? parts.slice(2) : parts;
  const verb = (special ? first : VERBS[method]) ?? '';
  return { verb, namespace: namespaceIn(parts), resource, name, subresource: special ? '' : subresource };
}

function namespaceIn(parts: readonly string[]): string {
  return (parts[0] === 'namespaces' && parts[1]) || '';
}

/** `namespaces/NAME/RESOURCE`, unless what follows belongs to the namespace itself. */
function isBelowNamespace(parts: readonly string[]): boolean {
  return parts[0] === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '');
}

/** A GET without a name lists or watches; `metadata.name=x` in the field selector pins the name, for RBAC's resourceNames. */
function listOrWatch(target: Target, query: Query): void {
  const watch = query.first('watch');
  target.verb = watch === undefined || watch === '0' || watch.toLowerCase() === 'false' ? 'list' : 'watch';
  const selector = query.first('fieldSelector');
  if (selector?.includes('metadata.name')) target.name = pinnedName(selector);
}

function pinnedName(selector: string): string {
  for (const term of selector.split(/(?<!\\),/)) {
    const match = /^metadata\.name={1,2}(.*)$/.exec(term);
    const name = match?.[1]?.replace(/\\([\\,=])/g, '$1') ?? '';
    if (name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name)) return name;
  }
  return '';
}
