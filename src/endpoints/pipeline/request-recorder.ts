import type { AuditedRequest, Auditor } from '../../audit/auditor.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { internalError } from '../../apimachinery/errors/status-errors.js';
import type { Decision } from '../../auth/authorization/authorizer.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RefusalLog } from './refusal-log.js';

/** Has requests recorded for audit, if anything is, and tells the server's log of refused ones. */
export class RequestRecorder {
  readonly #auditor: Auditor | undefined;
  readonly #refusals: RefusalLog;

  constructor(auditor: Auditor | undefined, refusals: RefusalLog) {
    this.#auditor = auditor;
    this.#refusals = refusals;
  }

  /** It is known who asks. Undefined: go on; a promise is waited for. Throws, or rejects, when the request must not go on unrecorded. */
  begin(request: ApiRequest): Promise<void> | undefined {
    if (!this.#auditor) return undefined;
    request.audit = this.#auditor.begin(auditedRequest(request), request.user);
    const stored = request.audit?.received() ?? true;
    if (stored instanceof Promise) return stored.then(requireStored);
    requireStored(stored);
    return undefined;
  }

  /** Before anybody knew who asks, the request failed. */
  refused(request: ApiRequest, error: unknown): void {
    if (!(error instanceof ApiError)) return;
    request.audit = this.#auditor?.beginRefused(auditedRequest(request));
    if (error.code === 401) this.#refusals.log(request, 401, error.cause instanceof Error ? error.cause.message : undefined);
  }

  /** Authorization has decided. */
  decided(request: ApiRequest, decision: Decision): void {
    if (!decision.allowed && !decision.error) this.#forbidden(request, decision.reason);
    request.audit?.decided(decision);
  }

  /** Impersonation was refused, or failed. */
  notImpersonated(request: ApiRequest, error: unknown): void {
    if (error instanceof ApiError && error.code === 403) this.#forbidden(request, 'impersonation');
  }

  #forbidden(request: ApiRequest, reason: string | undefined): void {
    this.#refusals.log(request, 403, reason);
    if (request.audit || !this.#auditor) return;
    const { user, impersonator } = request;
    request.audit = this.#auditor.beginForbidden(auditedRequest(request), impersonator ?? user);
    if (impersonator) request.audit?.impersonated(user, request.impersonationConstraint);
  }
}

function requireStored(stored: boolean): void {
  if (!stored) throw internalError('failed to store audit event');
}

function auditedRequest(request: ApiRequest): AuditedRequest {
  const { auditId, headers, info, userAgent, receivedAt, raw } = request;
  return { auditId, headers, info, userAgent, receivedAt, target: raw.url ?? '', remoteAddress: raw.socket.remoteAddress };
}
