import { Inject, Injectable } from '@nestjs/common';
import { type Authenticator, AUTHENTICATOR } from '../../auth/authentication/authenticator.js';
import { MeteredAuthenticator } from '../../auth/authentication/credential-metrics.js';
import { type Authorizer, AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { MeteredAuthorizer, RequestAuthorizer } from '../../auth/authorization/request-authorizer.js';
import { Impersonator } from '../../auth/impersonation/impersonator.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';

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
