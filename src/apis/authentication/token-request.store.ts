import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { invalid } from '../../apimachinery/errors/field-error.js';
import { conflict, invalidObject } from '../../apimachinery/errors/status-errors.js';
import { TokenIssuing } from '../../auth/authentication/service-account/service-account-tokens.js';
import { AuthorizationRules } from '../../auth/authorization/authorizer.js';
import { AdmissionChain } from '../../registry/admission/admission.js';
import { timestamp } from '../../registry/objects/object-values.js';
import type { RequestContext } from '../../registry/resource/request-context.js';
import { type AskedReview, ReviewStore } from '../../registry/review-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { ServiceAccountStore } from '../core/service-account/service-account.store.js';
import { type TokenRequest, HOUR, tokenRequestDefinition } from './token-request.resource.js';
import { refuseBinding, validateTokenRequest } from './token-request.validation.js';

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
