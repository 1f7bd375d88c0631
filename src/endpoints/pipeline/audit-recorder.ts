import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { internalError } from '../../apimachinery/errors/status-errors.js';
import { type AuditedRequest, Auditor } from '../../audit/auditor.js';
import type { Decision } from '../../auth/authorization/authorizer.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { LOGGER, LineBudget } from '../../telemetry/logger.js';
import { whenReady } from '../../time/backoff.js';
import type { AuthenticatedRequest, ReceivedRequest } from '../request/api-request.js';
import { type Fail, type Filter, goOn } from './filter.js';

/** Begins the audit record, if the policy asks for one: 500 if it has to be stored and cannot. */
export function withAudit(recorder: AuditRecorder, fail: Fail): Filter {
  return (next) => (request) => goOn(request, recorder.begin(request), () => next(request), fail);
}

/** Lines per second, so that a client that is denied over and over does not fill the log. */
const LINES_PER_SECOND = 20;
const MAX_TEXT = 256;

/** Logs one line for each request that gets a 401 or 403. A line holds no credentials: no header, no query, no body. */
@Injectable()
export class DeniedRequestLog {
  readonly #logger: Logger;
  readonly #now: Clock;
  readonly #budget = new LineBudget(LINES_PER_SECOND);

  constructor(@Inject(LOGGER) logger: Logger, @Inject(CLOCK) now: Clock) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Logs a 401. */
  unauthenticated(request: ReceivedRequest, reason: string | undefined): void {
    if (this.#takeLine()) this.#logger.info({ code: 401, ...describe(request, reason) }, 'unauthenticated request rejected');
  }

  /** Logs a 403. */
  forbidden(request: AuthenticatedRequest, reason: string | undefined): void {
    if (!this.#takeLine()) return;
    const { user, impersonator } = request;
    const who = { user: user.name, ...(impersonator ? { impersonator: impersonator.name } : {}) };
    this.#logger.info({ code: 403, ...who, ...describe(request, reason) }, 'forbidden request rejected');
  }

  #takeLine(): boolean {
    const suppressed = this.#budget.take(this.#now());
    if (suppressed) this.#logger.info({ requests: suppressed }, 'more requests were rejected');
    return suppressed !== undefined;
  }
}

function describe({ method, info, url, raw, loggedAuditId }: ReceivedRequest, reason: string | undefined): object {
  return {
    verb: info.verb,
    method,
    path: url.path.slice(0, MAX_TEXT),
    ...(reason ? { reason: reason.slice(0, MAX_TEXT) } : {}),
    from: raw.socket.remoteAddress,
    auditId: loggedAuditId,
  };
}

/** Starts the audit record of each request, if audit is configured, and logs denied requests. */
@Injectable()
export class AuditRecorder {
  readonly #auditor: Auditor | undefined;
  readonly #denied: DeniedRequestLog;

  /** Without an `auditor` nothing is recorded. */
  constructor(denied: DeniedRequestLog, @Optional() @Inject(Auditor) auditor?: Auditor) {
    this.#denied = denied;
    this.#auditor = auditor;
  }

  /**
   * Called after authentication. Returns a promise if the request must wait. Throws or rejects if the policy requires a record that cannot
   * be stored.
   */
  begin(request: AuthenticatedRequest): void | Promise<void> {
    if (!this.#auditor) return undefined;
    const audit = this.#auditor.begin(auditedRequest(request), request.user);
    request.record(audit);
    return whenReady(audit?.received() ?? true, requireStored);
  }

  /** Called for a request that failed before its user was known. */
  refused(request: ReceivedRequest, error: unknown): void {
    if (!(error instanceof ApiError)) return;
    request.record(this.#auditor?.beginRefused(auditedRequest(request), error.code === 401 ? failedCredentials(request) : error.message));
    if (error.code === 401) this.#denied.unauthenticated(request, error.cause instanceof Error ? error.cause.message : undefined);
  }

  /** Called after authorization. */
  decided(request: AuthenticatedRequest, decision: Decision): void {
    if (!decision.allowed && !decision.error) this.#forbidden(request, decision.reason);
    request.audit?.decided(decision);
  }

  /** Called when impersonation was denied or failed. */
  notImpersonated(request: AuthenticatedRequest, error: unknown): void {
    if (error instanceof ApiError && error.code === 403) this.#forbidden(request, 'impersonation');
  }

  #forbidden(request: AuthenticatedRequest, reason: string | undefined): void {
    this.#denied.forbidden(request, reason);
    if (request.audit || !this.#auditor) return;
    const { user, impersonator } = request;
    const audit = this.#auditor.beginForbidden(auditedRequest(request), impersonator ?? user);
    request.record(audit);
    if (impersonator) audit?.impersonated(user, request.impersonationConstraint);
  }
}

/** Which credentials have failed (apiserver endpoints/filters/authn_audit.go getAuthMethods). */
function failedCredentials({ headers, query, connection }: ReceivedRequest): string {
  const [scheme = '', ...rest] = (headers.authorization ?? '').trim().split(' ');
  const methods = [
    ...(/^basic$/i.test(scheme) && rest.length === 1 && Buffer.from(rest[0] ?? '', 'base64').includes(':') ? ['basic'] : []),
    ...(/^bearer$/i.test(scheme) && rest.length > 0 ? ['bearer'] : []),
    ...(query.first('access_token')?.trim() ? ['access_token'] : []),
    ...(connection && connection.certificates.length > 0 ? ['x509'] : []),
  ];
  return methods.length === 0
    ? 'Authentication failed, no credentials provided'
    : `Authentication failed, attempted: ${methods.join(', ')}`;
}

function requireStored(stored: boolean): void {
  if (!stored) throw internalError('failed to store audit event');
}

function auditedRequest(request: ReceivedRequest): AuditedRequest {
  const { auditId, headers, info, userAgent, receivedAt, raw } = request;
  return { auditId, headers, info, userAgent, receivedAt, target: raw.url ?? '', remoteAddress: raw.socket.remoteAddress };
}
