/** A parsed JWT. Nothing in it may be trusted before its signature is verified. */
export interface ParsedJwt {
  /** The complete token. */
  readonly token: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: JwtClaims;
}

export type JwtClaims = Readonly<Record<string, unknown>>;

/** Larger than any issuer's tokens, and than the headers of a request. */
const MAX_LENGTH = 65_536;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*$/;

/** Returns undefined if the text is not a JWT in compact form. */
export function parseJwt(token: string): ParsedJwt | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const [, first = '', second = ''] = COMPACT.exec(token) ?? [];
  const header = parsePart(first);
  const claims = header && parsePart(second);
  return claims && { token, header, claims };
}

function parsePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
