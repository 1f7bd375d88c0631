import { forbiddenPage } from '../../apimachinery/errors/status-errors.js';
import { quote } from '../../apimachinery/go/go-string.js';
import { type Authenticator, ANONYMOUS } from '../../auth/authentication/authenticator.js';
import { type Decision, escapeHtml, forbiddenRequest } from '../../auth/authorization/authorizer.js';
import type { MeteredAuthorizer } from '../../auth/authorization/request-authorizer.js';
import { mentionsImpersonation, wantedUser } from '../../auth/impersonation/impersonation-headers.js';
import type { Impersonator } from '../../auth/impersonation/impersonator.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { useOf } from '../connections/open-connection.js';
import type { ApiRequest } from '../request/api-request.js';
import { isFromForeignPage } from '../request/foreign-page.js';
import type { ErrorWriter } from '../response/error-writer.js';
import { sendText } from '../response/send-response.js';
import type { RouteTable } from '../routing/route-table.js';
import type { AuditRecorder } from './audit-recorder.js';
import { type Fail, type Filter, type Handler, goOn } from './filter.js';

/** Refuses pages of other sites that use what the browser adds by itself: 403. */
export function withoutForeignPages(allowedOrigins: ReadonlySet<string>, errors: ErrorWriter): Filter {
  return (next) => (request) => {
    if (isFromForeignPage(request, allowedOrigins)) errors.refuse(request, forbiddenPage());
    else next(request);
  };
}

/** Opens public pages, such as the files of Swagger UI, to everybody: they take their seat as anonymous, whatever credentials come with them. */
export function withPublicPages(routes: RouteTable): Filter {
  return (next) => (request) => {
    const { info, url } = request;
    if (!info.isResourceRequest && (routes.isPublic(url.path) || routes.landingFor(request) !== undefined)) request.openToAll(ANONYMOUS);
    next(request);
  };
}

/** Finds out the user: 401 for a credential that nobody accepts. */
export function withAuthentication(authenticator: Authenticator, fail: Fail): Filter {
  return (next) => (request) => {
    const answer = authenticator.authenticate(request);
    goOn(
      request,
      answer,
      (user) => {
        if (user) request.authenticate(user);
        if (user && user.name !== ANONYMOUS.name) {
          request.account.usedBy(user.name);
          useOf(request.raw.socket)?.authenticated();
        }
        next(request);
      },
      fail,
    );
  };
}

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
