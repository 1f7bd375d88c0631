import { mentionsImpersonation, wantedUser } from '../../auth/impersonation/impersonation-headers.js';
import type { Impersonator } from '../../auth/impersonation/impersonator.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { ApiRequest } from '../request/api-request.js';
import type { ErrorWriter } from '../response/error-writer.js';
import type { AuditRecorder } from './audit-recorder.js';
import type { Fail, Filter, Handler } from './filter.js';

/** What impersonation needs. */
export interface ImpersonationOptions {
  readonly impersonator: Impersonator;
  readonly recorder: AuditRecorder;
  readonly errors: ErrorWriter;
  readonly fail: Fail;
}

/** Lets the user act as the one whom the impersonation headers name: 400 for headers that name nobody, 403 without the right. */
export function withImpersonation({ impersonator, recorder, errors, fail }: ImpersonationOptions): Filter {
  const impersonate = async (request: ApiRequest, wanted: UserInfo, next: Handler) => {
    try {
      const { user, constraint } = await impersonator.impersonate(request.user, wanted, request.info);
      request.impersonate(user, constraint);
      request.audit?.impersonated(user, constraint);
    } catch (error) {
      recorder.notImpersonated(request, error);
      return errors.refuse(request, error);
    }
    next(request);
  };
  return (next) => (request) => {
    const { rawHeaders } = request;
    if (!mentionsImpersonation(rawHeaders)) return next(request);
    let wanted: UserInfo | undefined;
    try {
      wanted = wantedUser(rawHeaders);
    } catch (error) {
      return errors.refuse(request, error);
    }
    if (wanted) impersonate(request, wanted, next).catch((error: unknown) => fail(request, error));
    else next(request);
  };
}
