/** How users sign in at an issuer of OpenID Connect, as the server has written it into the page. */
export interface SignInOffer {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Absent while the server cannot reach the issuer. */
  readonly endpoints?: { readonly authorization: string; readonly token: string };
}

/** Undefined where users can only sign in with a token. */
export function readOffer(page: Document): SignInOffer | undefined {
  const content = page.querySelector('meta[name="sign-in"]')?.getAttribute('content') ?? '';
  return content === '' ? undefined : (JSON.parse(content) as SignInOffer);
}

/** The issuer's name for users. */
export function hostOf({ issuer }: SignInOffer): string {
  return new URL(issuer).host;
}
