import { Inject, Injectable } from '@nestjs/common';
import { internalError, unauthorized } from '../../apimachinery/errors/status-errors.js';
import { type Authenticator, AUTHENTICATOR } from '../../auth/authentication/authenticator.js';
import { MeteredAuthenticator } from '../../auth/authentication/credential-metrics.js';
import { type Authorizer, AUTHORIZER, forbiddenRequest } from '../../auth/authorization/authorizer.js';
import { MeteredAuthorizer, RequestAuthorizer } from '../../auth/authorization/request-authorizer.js';
import { mentionsImpersonation, wantedUser } from '../../auth/impersonation/impersonation-headers.js';
import { Impersonator } from '../../auth/impersonation/impersonator.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import type { ApiRequest } from '../request/api-request.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { RequestObservers } from './request-observers.js';

/** Authenticates and authorizes requests; metrics count the results. */
@Injectable()
export class RequestAccess {
  readonly authenticator: Authenticator;
  readonly authorizer: MeteredAuthorizer;
  readonly impersonator: Impersonator;
  /** Origins whose pages may use the browser's certificate. */
  readonly allowedOrigins: ReadonlySet<string>;

  constructor(
    @Inject(AUTHENTICATOR) authenticator: Authenticator,
    requestAuthorizer: RequestAuthorizer,
    @Inject(AUTHORIZER) authorizer: Authorizer,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    { webSocketAllowedOrigins }: ServingSettings,
  ) {
    this.authenticator = new MeteredAuthenticator(authenticator, main);
    this.authorizer = new MeteredAuthorizer(requestAuthorizer, main);
    this.impersonator = new Impersonator(authorizer);
    this.allowedOrigins = new Set(webSocketAllowedOrigins);
  }
}

/** Authenticates and authorizes a request again that has waited for others, since its user may have lost the credential or the right. */
@Injectable()
export class RenewedAccess {
  readonly #access: RequestAccess;
  readonly #observers: RequestObservers;

  constructor(access: RequestAccess, observers: RequestObservers) {
    this.#access = access;
    this.#observers = observers;
  }

  /** From here on the request has the rights of its user as they are now. Rejects with a 401, 403 or 500. */
  async check(request: ApiRequest): Promise<void> {
    const { recorder } = this.#observers;
    const before = request.impersonator ?? request.user;
    let isProxied = false;
    const { headers, rawHeaders, url, connection, info } = request;
    const asked = { headers, rawHeaders, url, connection, warn: () => undefined, cameThroughProxy: () => void (isProxied = true) };
    const now = await this.#access.authenticator.authenticate(asked);
    if (!now || now.name !== before.name || now.uid !== before.uid) throw unauthorized();
    const impersonated = await this.#impersonated(request, now);
    request.authenticate(now);
    if (impersonated) request.impersonate(impersonated, request.impersonationConstraint);
    const decision = await this.#access.authorizer.authorize({
      user: request.user,
      info,
      isAuthorizedByProxy: isProxied && !impersonated,
    });
    if (decision.allowed) return;
    if (decision.error) throw internalError(decision.error.message, decision.error);
    recorder.decided(request, decision);
    throw forbiddenRequest(request.user, info, decision.reason);
  }

  async #impersonated(request: ApiRequest, now: UserInfo): Promise<UserInfo | undefined> {
    if (!mentionsImpersonation(request.rawHeaders)) return undefined;
    const wanted = wantedUser(request.rawHeaders);
    return wanted && (await this.#access.impersonator.impersonate(now, wanted, request.info)).user;
  }
}
