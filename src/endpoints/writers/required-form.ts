import { ApiError } from '../../apimachinery/errors/api-error.js';
import { internalTypeName } from '../../apimachinery/codec/serializer/serializer.js';
import type { OutputChoice } from '../negotiation/output-negotiation.js';
import type { RequestScope } from '../scope/request-scope.js';

/** The 406 for a list form of a single object, and vice versa. */
export function wrongForm(scope: RequestScope, wanted: string, isList: boolean): ApiError {
  const { group, hubGroup = group, kind } = scope.definition;
  const internal = internalTypeName(hubGroup, isList ? scope.listKind : kind);
  const message = `you requested ${wanted}, but the requested object is ${isList ? 'a' : 'not a'} list (*${internal})`;
  return new ApiError({ code: 406, reason: 'NotAcceptable', message });
}

/**
 * Throws that 406 before a write whose response is one object. kube-apiserver checks afterwards, so it carries out the write that it
 * rejects (handlers/response.go transformResponseObject).
 */
export function requireObjectForm(scope: RequestScope, { transform }: OutputChoice): void {
  if (transform?.kind === 'PartialObjectMetadataList') throw wrongForm(scope, transform.kind, false);
}

/** Like `requireObjectForm`, for a write whose response is a list. */
export function requireListForm(scope: RequestScope, { transform }: OutputChoice): void {
  if (transform?.kind === 'PartialObjectMetadata') throw wrongForm(scope, transform.kind, true);
}
