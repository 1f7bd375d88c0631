import { invalid } from '../../../apimachinery/errors/field-error.js';
import { conflict, invalidObject } from '../../../apimachinery/errors/status-errors.js';
import type { ServiceAccountTokenIssuer } from '../../../auth/authentication/service-account/token-issuer.js';
import type { AdmissionPlugin } from '../../../registry/admission/admission.js';
import type { RequestContext } from '../../../registry/request-context.js';
import { reviewDefinition } from '../../../registry/review-definition.js';
import type { AskedReview } from '../../../registry/review-store.js';
import { ReviewStore } from '../../../registry/review-store.js';
import type { ResourceStore } from '../../../registry/resource-store.js';
import { timestamp } from '../../../registry/timestamp.js';
import { AUTHENTICATION_GROUP } from '../authentication.schema.js';
import type { TokenRequest } from './token-request.js';
import { refuseBinding, validateExpiration } from './token-request.validation.js';
import { tokenRequestV1Schema } from './v1/token-request-v1.schema.js';

const HOUR = 3600;
const UNLIMITED = 'this token may do everything: roles count with --authorization-mode=Node,RBAC of the server alone';

const review = reviewDefinition<TokenRequest>({
  group: AUTHENTICATION_GROUP,
  resource: 'tokenrequests',
  kind: 'TokenRequest',
  namespaced: true,
  schema: tokenRequestV1Schema,
  example: { metadata: { name: 'example' }, spec: { expirationSeconds: HOUR } },
});
const version = { ...review.storageVersion, setDefaults };

/** What is posted to serviceaccounts/NAME/token. It is no resource of its own. */
export const tokenRequestDefinition = { ...review, versions: [version], storageVersion: version };

export interface TokenRequestStoreOptions {
  readonly accounts: ResourceStore;
  readonly admission: AdmissionPlugin;
  readonly issuer: ServiceAccountTokenIssuer;
  /** Whom tokens are meant for that name nobody. */
  readonly audiences: readonly string[];
  /** The longest that a token may live; 0: no limit. */
  readonly maxExpirationSeconds: number;
  readonly now: () => number;
  /** Whether every token may do everything, which is told to whoever asks for one. */
  readonly unlimited?: boolean;
}

/** Issues tokens of service accounts (kubernetes pkg/registry/core/serviceaccount/storage/token.go). */
export function tokenRequestStore(options: TokenRequestStoreOptions): ReviewStore<TokenRequest> {
  return new ReviewStore<TokenRequest>({
    definition: tokenRequestDefinition,
    subresource: 'token',
    answer: (request, context, asked) => issue(options, request, context, asked),
    now: options.now,
  });
}

function setDefaults(request: TokenRequest): void {
  if (request.spec?.expirationSeconds === undefined) request.spec = { ...request.spec, expirationSeconds: HOUR };
}

async function issue(
  options: TokenRequestStoreOptions,
  { metadata, spec = {}, ...rest }: TokenRequest,
  context: RequestContext,
  { namespace, name, dryRun }: AskedReview,
): Promise<TokenRequest> {
  const { definition } = options.accounts;
  await options.admission.admit({ operation: 'CREATE', resource: definition, namespace, name, dryRun });
  if (metadata.name && metadata.name !== name) {
    const detail = 'must match the service account name if specified';
    throw invalidObject(review, name, [invalid('metadata.name', metadata.name, detail)]);
  }
  const { uid } = await options.accounts.get({ version: definition.storageVersion, namespace, name }, { resourceVersion: '' });
  if (metadata.uid && metadata.uid !== uid) {
    const reason = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: review.group, resource: review.kind }, name, reason);
  }
  const errors = validateExpiration(spec.expirationSeconds ?? HOUR);
  if (errors.length > 0) throw invalidObject(review, '', errors);
  if (spec.boundObjectRef) refuseBinding(spec.boundObjectRef);

  const expirationSeconds = shortened(spec.expirationSeconds ?? HOUR, options.maxExpirationSeconds, context);
  if (options.unlimited) context.warn(UNLIMITED);
  const audiences = spec.audiences && spec.audiences.length > 0 ? spec.audiences : options.audiences;
  const now = options.now();
  const token = await options.issuer.issue({ account: { namespace, name, uid }, audiences, expirationSeconds, now });
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
