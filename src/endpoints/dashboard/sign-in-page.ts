import type { Logger } from 'pino';
import type { OidcSignIn, SignInEndpoints } from '../../auth/authentication/oidc/oidc-sign-in.js';
import type { ApiRequest } from '../request/api-request.js';
import { SharedDocument } from '../response/shared-document.js';
import { type DashboardAsset, cacheControl, contentSecurityPolicy, DASHBOARD_HEADERS } from './dashboard-assets.js';

/** The page itself where users may sign in at an issuer: it says where, and may connect to the issuer's token endpoint. */
export class SignInPage {
  #shared: { readonly offer: string; readonly document: SharedDocument } | undefined;
  #isUnreachable = false;

  constructor(
    private readonly page: DashboardAsset,
    private readonly signIn: OidcSignIn,
    private readonly logger: Logger,
  ) {}

  async serve(request: ApiRequest): Promise<void> {
    const endpoints = await this.#endpoints();
    const offer = JSON.stringify({ ...this.signIn.terms, endpoints });
    if (this.#shared?.offer !== offer) this.#shared = { offer, document: this.#document(offer, endpoints?.token) };
    await this.#shared.document.serve(request);
  }

  /** Undefined while the issuer cannot be reached: the page then says so, and users with a token are not affected. */
  async #endpoints(): Promise<SignInEndpoints | undefined> {
    try {
      const endpoints = await this.signIn.endpoints();
      this.#isUnreachable = false;
      return endpoints;
    } catch (err) {
      const { issuer } = this.signIn.terms;
      if (!this.#isUnreachable) this.logger.warn({ err, issuer }, 'cannot reach the issuer; the dashboard offers no sign-in there');
      this.#isUnreachable = true;
      return undefined;
    }
  }

  #document(offer: string, tokenEndpoint: string | undefined): SharedDocument {
    const { page } = this;
    const policy = { 'content-security-policy': contentSecurityPolicy(tokenEndpoint) };
    return new SharedDocument({
      mediaType: page.mediaType,
      headers: { ...DASHBOARD_HEADERS, ...policy, 'cache-control': cacheControl(page) },
      make: () => withOffer(page.read().toString(), offer),
    });
  }
}

function withOffer(page: string, offer: string): string {
  const escaped = offer.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return page.replace(/(<meta name="sign-in" content=")[^"]*/, (_whole, start: string) => start + escaped);
}
