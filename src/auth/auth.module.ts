import { Module } from '@nestjs/common';
import { WatchedFiles } from '../settings/watched-files.js';
import { type Clock, CLOCK } from '../telemetry/clock.js';
import { type ServerMetrics, SERVER_METRICS } from '../telemetry/metrics/metric-registry.js';
import { Access, createAccess } from './access.js';
import { AuthSettings } from './auth.settings.js';
import { AccessSecrets } from './authentication/authentication.js';
import { CredentialMetrics } from './authentication/credential-metrics.js';
import { AUTHENTICATOR } from './authentication/authenticator.js';
import { TokenIssuing } from './authentication/service-account/service-account-tokens.js';
import { TokenVerifier } from './authentication/bearer-authenticator.js';
import { AUTHORIZER, AuthorizationRules } from './authorization/authorizer.js';
import { RbacAuthorizer } from './authorization/rbac/rbac-authorizer.js';
import { RequestAuthorizer } from './authorization/request-authorizer.js';

const access = {
  provide: Access,
  inject: [AuthSettings, AccessSecrets, WatchedFiles, CLOCK, SERVER_METRICS],
  useFactory: (config: AuthSettings, secrets: AccessSecrets, files: WatchedFiles, now: Clock, { main }: ServerMetrics): Access =>
    createAccess({ config, secrets, files, now, metrics: new CredentialMetrics(main) }),
};

/** A provider for one part of Access. */
const part = (provide: symbol | object, of: (all: Access) => unknown) => ({ provide: provide as symbol, inject: [Access], useFactory: of });

const PARTS = [
  part(AUTHENTICATOR, ({ authenticator }) => authenticator),
  part(AUTHORIZER, ({ authorizer }) => authorizer),
  part(RequestAuthorizer, ({ requestAuthorizer }) => requestAuthorizer),
  part(RbacAuthorizer, ({ rbac }) => rbac),
  part(TokenVerifier, ({ tokens }) => tokens),
  part(TokenIssuing, ({ serviceAccountTokens }) => serviceAccountTokens),
  part(AuthorizationRules, (rules) => rules),
];

/** Authentication and authorization, created from their settings and the generated secrets. */
@Module({ providers: [access, ...PARTS], exports: [Access, ...PARTS.map(({ provide }) => provide)] })
export class AuthModule {}
