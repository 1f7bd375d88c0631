/** The service account of a token; the uid distinguishes it from a later one of the same name. */
export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The claims of a token of a service account (kubernetes pkg/serviceaccount/claims.go). Times are seconds. */
export interface ServiceAccountClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  /** Identifies the token in audit logs and in `credential-id`. */
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
  readonly nbf: number;
  readonly sub: string;
}
