import { ApiError } from '../../apimachinery/errors/api-error.js';
import { quote } from '../../apimachinery/go/go-string.js';
import { forbidden } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { AuthorizationAttributes } from './authorizer.js';

/** The 403 for a request that authorization refused, in upstream's words (apiserver handlers/responsewriters/errors.go). */
export function forbiddenRequest(user: UserInfo, attributes: AuthorizationAttributes, reason?: string): ApiError {
  const explained = `${escapeHtml(denial(user, attributes))}${reason ? `: ${reason}` : ''}`;
  if (!attributes.isResourceRequest) {
    return new ApiError({ code: 403, reason: 'Forbidden', message: `forbidden: ${explained}`, details: {} });
  }
  return forbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, explained);
}

function denial(user: UserInfo, { isResourceRequest, verb, path, ...attributes }: AuthorizationAttributes): string {
  const who = `User ${quote(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${who} path ${quote(path)}`;
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const where = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(attributes.namespace)}`;
  return `${who} resource ${quote(resource)} in API group ${quote(attributes.apiGroup)} ${where}`;
}

/** Escapes text that a client sent, as upstream's sanitizer does. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
