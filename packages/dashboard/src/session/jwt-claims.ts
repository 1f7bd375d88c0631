/** The claims of a JSON Web Token, unverified; undefined for other tokens. */
export function jwtClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? (claims as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Not a JWT, which no token has to be.
    return undefined;
  }
}
