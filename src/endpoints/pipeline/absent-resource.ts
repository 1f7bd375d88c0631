import type { ApiError } from '../../apimachinery/errors/api-error.js';
import { resourceNotFound } from '../../apimachinery/errors/status-errors.js';
import type { RequestInfo } from '../request-info/request-info.js';

/** Kinds of core/v1 in which client-go before 0.24 keeps the record of an election, and other clients still do. */
const ELECTION_RECORDS: ReadonlyMap<string, string> = new Map([
  ['configmaps', 'ConfigMaps'],
  ['endpoints', 'Endpoints'],
]);

/** 404 for a resource that is not served. A client that would elect its leader with it learns what to use instead. */
export function absentResource({ apiGroup, resource }: Pick<RequestInfo, 'apiGroup' | 'resource'>): ApiError {
  const kind = apiGroup === '' ? ELECTION_RECORDS.get(resource) : undefined;
  return resourceNotFound(kind && `this server has no ${kind}, but Leases (coordination.k8s.io/v1), with which leaders can be elected`);
}
