/** Which service account a token is of; the uid tells it from one of the same name that came later. */
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
  /** Tells tokens apart: audit logs and `credential-id` show it. */
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
  readonly nbf: number;
  readonly sub: string;
}

/** `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountUserName({ namespace, name }: Pick<ServiceAccountRef, 'namespace' | 'name'>): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
