import { badRequest, expired } from '../../apimachinery/errors/status-errors.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import { type ContinueToken, decodeContinueToken, encodeContinueToken, startAfter } from '../../storage/continue-token.js';
import type { Consistency, ListResult } from '../../storage/object-store.js';
import { isStorageError } from '../../storage/storage-errors.js';
import { interpretStorageError } from '../errors/interpret-storage-error.js';
import { invalidVersionText, parseVersion } from '../rules/preconditions.js';
import { type ResourceScope, operation } from '../scope/resource-scope.js';
import type { ListPage, RequestTarget } from '../resource/resource-store.js';
import { type Selection, selectObjects } from '../scope/select-objects.js';

/** How a list is read: snapshot, starting point and limit. */
interface ListPlan {
  readonly consistency: Consistency;
  readonly limit: number;
  readonly token?: ContinueToken;
}

/**
 * GET of a collection (apiserver pkg/storage/interfaces.go ValidateListOptions, etcd3/store.go GetList, cacher/delegator). Rejects with 400
 * for bad selectors, versions or tokens, 410 for a compacted version and 504 for one that does not arrive in time.
 */
export async function listObjects(scope: ResourceScope, target: RequestTarget, options: ListOptions): Promise<ListPage> {
  const selection = selectObjects(scope, target, options);
  const uncached = scope.definition.uncached ?? false;
  const plan = planList(selection, options, uncached);
  try {
    const result = await scope.objects.list(selection.range, {
      consistency: plan.consistency,
      start: plan.token?.start,
      limit: plan.limit,
      predicate: selection.predicate,
      equal: selection.equal,
    });
    return page(selection, plan, result);
  } catch (error) {
    if (plan.token && isStorageError(error, 'Compacted')) throw expiredToken(plan.token);
    const asked = operation(scope, 'list', { resource: scope.storageResource, namespace: target.namespace, name: '' });
    throw interpretStorageError(error, { ...asked, uncached: uncached || bypassesCache(selection, options) });
  }
}

function planList(selection: Selection, options: ListOptions, uncached: boolean): ListPlan {
  const { resourceVersion } = options;
  const limit = Math.max(0, options.limit);
  // resourceVersion=0 is served from the cache, which has no pages.
  const limitOfAny = uncached ? limit : 0;
  if (options.continue !== '') {
    const token = decodeContinueToken(options.continue);
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const consistency: Consistency = token.revision > 0n ? { kind: 'exact', revision: token.revision } : { kind: 'latest' };
    return { consistency, limit: resourceVersion === '0' ? limitOfAny : limit, token };
  }
  if (resourceVersion === '') return { consistency: { kind: 'latest' }, limit };
  const refuse = (problem: string) => badRequest(`invalid resource version: ${invalidVersionText(resourceVersion, problem)}`);
  const revision = parseVersion(resourceVersion, refuse);
  if (revision === 0n) return { consistency: { kind: 'any' }, limit: limitOfAny };
  // Without resourceVersionMatch, a limit makes the version exact: the rule for clients older than that parameter.
  const legacyExact = options.resourceVersionMatch === '' && limit > 0 && selection.range.name === undefined;
  const exact = options.resourceVersionMatch === 'Exact' || legacyExact;
  return { consistency: { kind: exact ? 'exact' : 'notOlderThan', revision }, limit };
}

/** Upstream's cache has no earlier state of one object: what may ask for one goes to etcd (apiserver storage/cacher, ShouldDelegateExactRV). */
function bypassesCache({ range }: Selection, { resourceVersionMatch, limit }: ListOptions): boolean {
  return range.name !== undefined && (resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0));
}

function page(selection: Selection, plan: ListPlan, result: ListResult): ListPage {
  const revision = plan.consistency.kind === 'exact' ? plan.consistency.revision : BigInt(result.revision);
  // Keys after the page are counted unless a selector applies to them.
  const remaining = result.more && !selection.filtered ? result.remaining : undefined;
  const last = result.last ?? result.objects.at(-1)?.key;
  return {
    objects: result.objects,
    resourceVersion: String(revision),
    ...(result.more && last ? { continue: encodeContinueToken({ revision, start: startAfter(selection.range, last) }) } : {}),
    ...(remaining !== undefined && remaining > 0 ? { remainingItemCount: remaining } : {}),
    ...(selection.shard ? { shardSelector: selection.shard.text } : {}),
  };
}

/**
 * The 410 for an expired token. It carries a token with which the list can continue, inconsistently, at the same key (apiserver
 * pkg/storage/etcd3/errors.go).
 */
function expiredToken(token: ContinueToken): Error {
  const text =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
    'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an ' +
    'inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return expired(text, encodeContinueToken({ revision: -1, start: token.start }));
}
