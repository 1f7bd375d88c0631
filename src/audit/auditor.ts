import type { IncomingHttpHeaders } from 'node:http';
import { omitEmpty } from '../apimachinery/go/omit-empty.js';
import { type AuthorizationAttributes, isLongRunning } from '../auth/authorization/authorizer.js';
import type { UserInfo } from '../registry/resource/request-context.js';
import type { AuditBackend, AuditMetrics } from './backends/audit-backend.js';
import { auditUser, sourceIps } from './event/audit-event.js';
import { type PolicyEvaluator, type RequestAuditConfig, carriesCredentials } from './policy/audit-policy.js';
import { type EventHead, RequestAudit } from './request-audit.js';

/** The parts of a request that events contain. */
export interface AuditedRequest {
  readonly auditId: string;
  readonly headers: IncomingHttpHeaders;
  readonly info: AuthorizationAttributes;
  readonly userAgent: string;
  /** Path and query as received. */
  readonly target: string;
  readonly remoteAddress: string | undefined;
  /** Milliseconds of `performance.now()`. */
  readonly receivedAt: number;
}

export interface AuditorOptions {
  readonly policy: PolicyEvaluator;
  readonly backend: AuditBackend;
  readonly metrics?: AuditMetrics;
  readonly now: () => number;
}

const MAX_USER_AGENT = 1024;

/** Decides what is recorded of each request, by the audit policy. */
export class Auditor {
  readonly #options: AuditorOptions;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  /** Starts the record of an authenticated request; undefined if the policy records nothing. */
  begin(request: AuditedRequest, user: UserInfo): RequestAudit | undefined {
    const config = this.#options.policy.evaluate(user, request.info);
    this.#options.metrics?.level(config.level);
    return config.level === 'None' ? undefined : this.#record(request, user, config);
  }

  /** Starts the record of a request that fails authentication; `refusal` is in its status unless the answer has a text. */
  beginRefused(request: AuditedRequest, refusal: string): RequestAudit | undefined {
    const { policy } = this.#options;
    const wanted = policy.evaluate(undefined, request.info);
    this.#options.metrics?.level(wanted.level);
    if (wanted.level === 'None' && !policy.recordsRefusals) return undefined;
    return this.#record(request, undefined, wanted.level === 'None' ? policy.refused() : wanted, refusal);
  }

  /** Starts the record of a forbidden request whose policy rule says None. */
  beginForbidden(request: AuditedRequest, user: UserInfo): RequestAudit | undefined {
    const { policy } = this.#options;
    return policy.recordsRefusals ? this.#record(request, user, policy.refused()) : undefined;
  }

  #record(request: AuditedRequest, user: UserInfo | undefined, config: RequestAuditConfig, refusal?: string): RequestAudit {
    const { backend, now } = this.#options;
    const { info } = request;
    const options = {
      config,
      backend,
      now,
      isLongRunning: isLongRunning(info),
      isRefused: user === undefined,
      ...(refusal === undefined ? {} : { refusal }),
      hidesMessages: carriesCredentials(info),
    };
    return new RequestAudit(options, headOf(request, user, Math.floor(now() - (performance.now() - request.receivedAt))));
  }
}

function headOf(request: AuditedRequest, user: UserInfo | undefined, receivedTime: number): EventHead {
  const { auditId, headers, info, userAgent, remoteAddress } = request;
  return {
    auditID: auditId,
    requestURI: withoutTokens(request.target),
    verb: info.verb,
    user: user ? auditUser(user) : {},
    ...omitEmpty({ sourceIPs: sourceIps(headers, remoteAddress), userAgent: shortened(userAgent) }),
    ...(info.isResourceRequest ? { objectRef: referenceOf(info) } : {}),
    requestReceivedTimestamp: receivedTime,
  };
}

function referenceOf({ resource, namespace, name, apiGroup, apiVersion, subresource }: AuthorizationAttributes): EventHead['objectRef'] {
  return omitEmpty({ resource, namespace, name, apiGroup, apiVersion, subresource });
}

function shortened(userAgent: string): string {
  return userAgent.length > MAX_USER_AGENT ? `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : userAgent;
}

/** Removes tokens from the query; they do not authenticate, but clients may send them. */
function withoutTokens(target: string): string {
  return target.replace(/([?&](?:access_|id_)?token=)[^&]+/gi, '$1***');
}
