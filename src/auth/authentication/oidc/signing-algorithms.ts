/** All supported signing algorithms (oidc.go allowedSigningAlgs). */
export const SIGNING_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'] as const;
