import { IsIn, Matches } from 'class-validator';
import { SIGNING_ALGORITHMS } from '../../auth/authentication/oidc/oidc-issuer.js';
import { AuditConfig } from './audit-config.js';
import { Setting } from './setting.js';

/** Whose JWTs are accepted, beside those that servers of this kind issue. */
export class JwtConfig extends AuditConfig {
  @Setting({
    kind: 'text',
    help: 'An AuthenticationConfiguration of apiserver.config.k8s.io/v1, as YAML or JSON: issuers of JWTs, and which paths are open to anonymous requests. Read anew when it changes.',
    placeholder: 'file',
  })
  authenticationConfig = '';

  @Setting({ kind: 'text', help: 'The issuer of OpenID Connect tokens, with the https scheme.', placeholder: 'url' })
  oidcIssuerUrl = '';

  @Setting({ kind: 'text', help: 'Whom these tokens are issued for: this must be among their audiences.', placeholder: 'id' })
  oidcClientId = '';

  @Setting({ kind: 'text', help: "The claim that is the user's name.", placeholder: 'claim' })
  oidcUsernameClaim = 'sub';

  @Setting({
    kind: 'text',
    help: "What is put before users' names; - for nothing (default: the issuer and a #, and nothing before mail addresses).",
    placeholder: 'prefix',
  })
  oidcUsernamePrefix = '';

  @Setting({ kind: 'text', help: "The claim that holds the user's groups.", placeholder: 'claim' })
  oidcGroupsClaim = '';

  @Setting({ kind: 'text', help: "What is put before groups' names.", placeholder: 'prefix' })
  oidcGroupsPrefix = '';

  @Setting({ kind: 'list', help: 'Claims that a token must have, as claim=value.', placeholder: 'claims' })
  @Matches(/^[^=]+=/, { each: true, message: 'must be claim=value' })
  oidcRequiredClaim: string[] = [];

  @Setting({ kind: 'list', help: `With what tokens may be signed, of: ${SIGNING_ALGORITHMS.join(', ')}.`, placeholder: 'algorithms' })
  @IsIn(SIGNING_ALGORITHMS, { each: true, message: `must be of: ${SIGNING_ALGORITHMS.join(', ')}` })
  oidcSigningAlgs: string[] = ['RS256'];

  @Setting({
    kind: 'text',
    help: "Authorities, as PEM, of the issuer's serving certificate (default: those that the system knows).",
    placeholder: 'file',
  })
  oidcCaFile = '';
}
