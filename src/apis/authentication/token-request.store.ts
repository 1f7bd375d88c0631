import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type FieldError, invalid } from '../../apimachinery/errors/field-error.js';
import { badRequest, conflict, invalidObject, notFound } from '../../apimachinery/errors/status-errors.js';
import { objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, int64, list, map, string, struct, time } from '../../apimachinery/schema/struct-type.js';
import { TokenIssuing } from '../../auth/authentication/service-account/service-account-tokens.js';
import { AuthorizationRules } from '../../auth/authorization/authorizer.js';
import { AdmissionChain } from '../../registry/admission/admission.js';
import { timestamp } from '../../registry/objects/object-values.js';
import type { RequestContext } from '../../registry/resource/request-context.js';
import { reviewDefinition } from '../../registry/resource/resource-definition.js';
import { type AskedReview, ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { ServiceAccountStore } from '../core/service-account/service-account.resource.js';
import { AUTHENTICATION_GROUP, AUTHENTICATION_V1 } from './authentication.schema.js';

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** The kinds that tokens can be bound to upstream, with their resources; this server has no such objects. */
const BINDABLE: ReadonlyMap<string, string> = new Map(Object.entries({ Pod: 'pods', Secret: 'secrets', Node: 'nodes' }));

const WEBHOOKS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];

/** Attestations, and limits on the requested lifetime of a token (kubernetes pkg/apis/authentication/validation). */
function validateTokenRequest({ attestations = {}, boundObjectRef, expirationSeconds }: TokenRequest['spec']): FieldError[] {
  if (Object.keys(attestations).length > 0 && !isWebhook(boundObjectRef)) {
    return [invalid('spec.attestations', attestations, 'attestations may only be specified with a webhook bound object reference')];
  }
  const seconds = expirationSeconds ?? HOUR;
  const wrong = (detail: string): FieldError[] => [invalid('spec.expirationSeconds', seconds, detail)];
  if (seconds < MIN_SECONDS) return wrong('may not specify a duration less than 10 minutes');
  return seconds > MAX_SECONDS ? wrong('may not specify a duration larger than 2^32 seconds') : [];
}

/** Refuses to bind a token, as upstream does if the object does not exist (pkg/registry/core/serviceaccount/storage/token.go). */
function refuseBinding(reference: BoundObjectReference): never {
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

const boundObjectReferenceSchema = struct(
  `${AUTHENTICATION_V1}.BoundObjectReference`,
  'Reference to the object whose deletion invalidates a token.',
  [
    field('kind', 1, string(), 'omitEmpty', 'Kind of the object: Pod, Secret or Node.'),
    field('apiVersion', 2, string(), 'omitEmpty', 'Group and version of the object.'),
    field('name', 3, string(), 'omitEmpty', 'Name of the object.'),
    field('uid', 4, string('types.UID'), 'omitEmpty', 'UID of the object.'),
  ],
);

const specSchema = struct(`${AUTHENTICATION_V1}.TokenRequestSpec`, 'The requested properties of a token.', [
  field('audiences', 1, list(string()), 'always', 'Intended audiences of the token; by default this server.'),
  {
    ...field('expirationSeconds', 4, int64(), 'optional', 'Requested lifetime in seconds, at least 600; by default 3600.'),
    writesNull: true,
  },
  {
    ...field('boundObjectRef', 3, boundObjectReferenceSchema, 'optional', 'The object that the token is bound to. Not supported.'),
    writesNull: true,
  },
  field(
    'attestations',
    5,
    map(list(string(), { undeclared: true })),
    'omitEmpty',
    'Claims about the request of a webhook configuration. Not supported.',
  ),
]);

const statusSchema = struct(`${AUTHENTICATION_V1}.TokenRequestStatus`, 'The token.', [
  field('token', 1, string(), 'always', 'The bearer token.'),
  field('expirationTimestamp', 2, time(), 'always', 'When it expires.'),
]);

const tokenRequestV1Schema = struct(`${AUTHENTICATION_V1}.TokenRequest`, 'A request for a token of a service account.', [
  ...objectFields('Metadata; name, namespace and uid are checked against the service account if present.'),
  field('spec', 2, specSchema, 'always', 'The requested properties.'),
  field('status', 3, statusSchema, 'always', 'The token, filled in by the server.'),
]);

/** authentication.k8s.io/v1 TokenRequest. */
type TokenRequest = TypeOf<typeof tokenRequestV1Schema>;

type BoundObjectReference = NonNullable<TokenRequest['spec']['boundObjectRef']>;

/** The default lifetime of a token, in seconds. */
const HOUR = 3600;

const review = reviewDefinition<TokenRequest>({
  group: AUTHENTICATION_GROUP,
  kind: 'TokenRequest',
  namespaced: true,
  schema: tokenRequestV1Schema,
  example: { metadata: { name: 'example' }, spec: { expirationSeconds: HOUR } },
});
const version = { ...review.storageVersion, setDefaults };

/** The object posted to serviceaccounts/NAME/token. It is not a resource of its own. */
const tokenRequestDefinition = { ...review, versions: [version], storageVersion: version };

function setDefaults(request: TokenRequest): void {
  if (request.spec?.expirationSeconds === undefined) request.spec = { ...request.spec, expirationSeconds: HOUR };
}

const UNLIMITED = 'this token has full access: roles take effect only if the server runs with --authorization-mode=Node,RBAC';

/** The annotation that connects the issue of a token with its uses. */
const ISSUED = 'authentication.kubernetes.io/issued-credential-id';

interface Issuing {
  readonly accounts: ServiceAccountStore;
  readonly admission: AdmissionChain;
  readonly issuing: TokenIssuing;
  /** Whether every token grants all rights; the response to a token request then warns of it. */
  readonly unlimited: boolean;
  readonly now: Clock;
}

/** Issues tokens of service accounts (kubernetes pkg/registry/core/serviceaccount/storage/token.go). */
@Injectable()
export class TokenRequestStore extends ReviewStore<TokenRequest> {
  static readonly definition = tokenRequestDefinition;

  constructor(
    accounts: ServiceAccountStore,
    admission: AdmissionChain,
    issuing: TokenIssuing,
    { allowsEverything: unlimited }: AuthorizationRules,
    @Inject(CLOCK) now: Clock,
  ) {
    const options = { accounts, admission, issuing, unlimited, now };
    super({
      definition: tokenRequestDefinition,
      subresource: 'token',
      answer: (request, context, asked) => issue(options, request, context, asked),
      now,
    });
  }
}

async function issue(
  options: Issuing,
  { metadata, spec = {}, ...rest }: TokenRequest,
  context: RequestContext,
  { namespace, name, dryRun }: AskedReview,
): Promise<TokenRequest> {
  const { definition } = options.accounts;
  await options.admission.admit({ operation: 'CREATE', resource: definition, namespace, name, dryRun });
  if (metadata.name && metadata.name !== name) {
    const detail = 'must match the service account name if specified';
    throw invalidObject(tokenRequestDefinition, name, [invalid('metadata.name', metadata.name, detail)]);
  }
  const { uid } = await options.accounts.get({ version: definition.storageVersion, namespace, name }, { resourceVersion: '' });
  if (metadata.uid && metadata.uid !== uid) {
    const reason = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: tokenRequestDefinition.group, resource: tokenRequestDefinition.kind }, name, reason);
  }
  const errors = validateTokenRequest(spec);
  if (errors.length > 0) throw invalidObject(tokenRequestDefinition, '', errors);
  if (spec.boundObjectRef) refuseBinding(spec.boundObjectRef);

  const expirationSeconds = shortened(spec.expirationSeconds ?? HOUR, options.issuing.maxExpirationSeconds, context);
  if (options.unlimited) context.warn(UNLIMITED);
  const audiences = spec.audiences && spec.audiences.length > 0 ? spec.audiences : options.issuing.audiences;
  const now = options.now();
  const id = randomUUID();
  const token = await options.issuing.issuer.issue({ account: { namespace, name, uid }, audiences, expirationSeconds, id, now });
  context.annotate?.(ISSUED, `JTI=${id}`);
  return {
    ...rest,
    metadata: { ...metadata, name, namespace, uid, creationTimestamp: timestamp(now) },
    spec: { ...spec, audiences, expirationSeconds },
    status: { token, expirationTimestamp: timestamp(now + expirationSeconds * 1000) },
  };
}

function shortened(seconds: number, most: number, context: RequestContext): number {
  if (most === 0 || seconds <= most) return seconds;
  context.warn(`requested expiration of ${seconds} seconds shortened to ${most} seconds`);
  return most;
}
