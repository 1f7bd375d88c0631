import { type FieldError, invalid } from '../../apimachinery/errors/field-error.js';
import { badRequest, notFound } from '../../apimachinery/errors/status-errors.js';
import { type BoundObjectReference, type TokenRequest, HOUR } from './token-request.resource.js';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** The kinds that tokens can be bound to upstream, with their resources; this server has no such objects. */
const BINDABLE: ReadonlyMap<string, string> = new Map(Object.entries({ Pod: 'pods', Secret: 'secrets', Node: 'nodes' }));

const WEBHOOKS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

/** Attestations, and limits on the requested lifetime of a token (kubernetes pkg/apis/authentication/validation). */
export function validateTokenRequest({ attestations = {}, boundObjectRef, expirationSeconds }: TokenRequest['spec']): FieldError[] {
  if (Object.keys(attestations).length > 0 && !isWebhook(boundObjectRef)) {
    return [invalid('spec.attestations', attestations, 'attestations may only be specified with a webhook bound object reference')];
  }
  const seconds = expirationSeconds ?? HOUR;
  const wrong = (detail: string): FieldError[] => [invalid('spec.expirationSeconds', seconds, detail)];
  if (seconds < MIN_SECONDS) return wrong('may not specify a duration less than 10 minutes');
  return seconds > MAX_SECONDS ? wrong('may not specify a duration larger than 2^32 seconds') : [];
}

/** Refuses to bind a token, as upstream does if the object does not exist (pkg/registry/core/serviceaccount/storage/token.go). */
export function refuseBinding(reference: BoundObjectReference): never {
  const { kind = '', apiVersion = '', name = '' } = reference;
  const [first = '', second] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const resource = group === '' ? BINDABLE.get(kind) : undefined;
  if (resource === undefined) {
    const gate = isWebhook(reference) ? ' (feature gate APIServerWebhookAuthenticationToken is disabled)' : '';
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}${gate}`);
  }
  if (name === '') throw badRequest('Name parameter required.');
  throw notFound({ group: '', resource }, name);
}

function isWebhook(reference: BoundObjectReference | null | undefined): boolean {
  return reference?.apiVersion === 'admissionregistration.k8s.io/v1' && WEBHOOKS.includes(reference.kind ?? '');
}
