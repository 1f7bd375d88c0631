import { type Decision, escapeHtml, forbiddenRequest } from '../../auth/authorization/authorizer.js';
import type { MeteredAuthorizer } from '../../auth/authorization/request-authorizer.js';
import { quote } from '../../apimachinery/go/go-string.js';
import type { ApiRequest } from '../request/api-request.js';
import type { ErrorWriter } from '../response/error-writer.js';
import { sendText } from '../response/send-response.js';
import type { AuditRecorder } from './audit-recorder.js';
import { type Fail, type Filter, goOn } from './filter.js';

/** What authorization needs. */
export interface AuthorizationOptions {
  readonly authorizer: MeteredAuthorizer;
  readonly recorder: AuditRecorder;
  readonly errors: ErrorWriter;
  readonly fail: Fail;
}

/** Asks whether the user may do this: 403 if not, 500 if no authorizer could decide (apiserver responsewriters.InternalError). */
export function withAuthorization({ authorizer, recorder, errors, fail }: AuthorizationOptions): Filter {
  const refuse = (request: ApiRequest, { reason, error }: Exclude<Decision, { allowed: true }>) => {
    if (!error) return errors.refuse(request, forbiddenRequest(request.user, request.info, reason));
    errors.log(request, error);
    sendText(request, 500, escapeHtml(`Internal Server Error: ${quote(request.raw.url ?? '')}: ${error.message}\n`));
  };
  return (next) => (request) =>
    goOn(
      request,
      authorizer.authorize(request),
      (decision) => {
        if (request.audit || !decision.allowed) recorder.decided(request, decision);
        if (decision.allowed) next(request);
        else refuse(request, decision);
      },
      fail,
    );
}
