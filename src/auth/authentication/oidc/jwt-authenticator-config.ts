/** The configuration of a JWT issuer in apiserver.config.k8s.io/v1 (apiserver pkg/apis/apiserver/types.go). */
export interface JwtAuthenticatorConfig {
  readonly issuer: IssuerConfig;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[];
}

export interface IssuerConfig {
  /** The `iss` of its tokens. */
  readonly url: string;
  /** URL of its discovery document, if not below `url`. */
  readonly discoveryURL?: string;
  /** PEM of the CA of its serving certificate. Default: the system's CAs. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface ClaimOrExpression {
  readonly claim?: string;
  readonly expression?: string;
}

export interface PrefixedClaimOrExpression extends ClaimOrExpression {
  readonly prefix?: string;
}

export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: ClaimOrExpression;
  readonly extra?: readonly ExtraMapping[];
}

export interface ExtraMapping {
  readonly key: string;
  readonly valueExpression: string;
}

export interface UserValidationRule {
  readonly expression?: string;
  readonly message?: string;
}

/** All supported signing algorithms (oidc.go allowedSigningAlgs). */
export const SIGNING_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'] as const;
