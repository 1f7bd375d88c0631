import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { invalid } from '../../../apimachinery/errors/field-error.js';
import { badRequest, notFound } from '../../../apimachinery/errors/status-errors.js';
import type { BoundObjectReference } from './token-request.js';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** The kinds that tokens can be bound to upstream, with their resources; this server has no such objects. */
const BINDABLE: ReadonlyMap<string, string> = new Map(Object.entries({ Pod: 'pods', Secret: 'secrets', Node: 'nodes' }));

/** Limits on the requested lifetime of a token (kubernetes pkg/apis/authentication/validation). */
export function validateExpiration(seconds: number): FieldError[] {
  const wrong = (detail: string): FieldError[] => [invalid('spec.expirationSeconds', seconds, detail)];
  if (seconds < MIN_SECONDS) return wrong('may not specify a duration less than 10 minutes');
  return seconds > MAX_SECONDS ? wrong('may not specify a duration larger than 2^32 seconds') : [];
}

/** Refuses to bind a token, as upstream does if the object does not exist (pkg/registry/core/serviceaccount/storage/token.go). */
export function refuseBinding({ kind = '', apiVersion = '', name = '' }: BoundObjectReference): never {
  const [first = '', second] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const resource = group === '' ? BINDABLE.get(kind) : undefined;
  if (resource === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === '') throw badRequest('Name parameter required.');
  throw notFound({ group: '', resource }, name);
}
