/** Where an issuer signs users in by the authorization code flow. */
export interface SignInEndpoints {
  /** The page to which the browser goes. */
  readonly authorization: string;
  /** Exchanges the code that the browser brings back for tokens. */
  readonly token: string;
}

/** The endpoints in an issuer's discovery document (OpenID Connect Discovery 1.0 section 3); undefined unless both are https URLs. */
export function signInEndpoints(configuration: Readonly<Record<string, unknown>>): SignInEndpoints | undefined {
  const authorization = httpsUrl(configuration['authorization_endpoint']);
  const token = httpsUrl(configuration['token_endpoint']);
  return authorization !== undefined && token !== undefined ? { authorization, token } : undefined;
}

function httpsUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  return url.href;
}
