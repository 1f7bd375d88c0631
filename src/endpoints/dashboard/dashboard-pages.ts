import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Access } from '../../auth/access.js';
import type { OidcSignIn, SignInEndpoints } from '../../auth/authentication/oidc/oidc-sign-in.js';
import { PROGRAM_CALL } from '../../settings/program-call.js';
import { programFolder } from '../../settings/program-files.js';
import { LOGGER } from '../../telemetry/logger.js';
import type { ApiRequest } from '../request/api-request.js';
import { SharedDocument } from '../response/shared-document.js';
import { ServingSettings } from '../settings/serving.settings.js';

/** A file as it is served. */
interface ServedFile {
  serve(request: ApiRequest): Promise<void>;
}

/**
 * The dashboard's files, read on first use. They need no token: a browser sends none when it loads a page, and there is nothing secret in
 * them. What the page shows comes from the API, by its user's own rights.
 */
@Injectable()
export class DashboardPages {
  /** By their paths below /ui/, '' for the page itself; none if the dashboard is switched off or was not built. */
  readonly files: ReadonlyMap<string, ServedFile>;

  constructor({ ui }: ServingSettings, { signIn }: Access, @Inject(LOGGER) logger: Logger) {
    const assets = ui ? dashboardAssets() : [];
    this.files = new Map(
      assets.map((asset): [string, ServedFile] => {
        if (asset.path === '' && signIn) return ['', new SignInPage(asset, signIn, logger)];
        const headers = { ...DASHBOARD_HEADERS, 'cache-control': cacheControl(asset) };
        return [asset.path, new SharedDocument({ mediaType: asset.mediaType, headers, make: asset.read })];
      }),
    );
  }
}

/** The page itself where users may sign in at an issuer: it says where, and may connect to the issuer's token endpoint. */
class SignInPage {
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

/** What the build of packages/dashboard has written. */
const BUILT = programFolder('dist/ui');

/** A public file of the dashboard. */
export interface DashboardAsset {
  /** Relative to the page: `assets/index-4711.js`; '' for the page itself. */
  readonly path: string;
  readonly mediaType: string;
  /** Whether its name changes with its content, so that it can be cached forever. */
  readonly immutable: boolean;
  readonly read: () => Buffer;
}

const MEDIA_TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** Headers of the page's files. */
export const DASHBOARD_HEADERS = {
  'content-security-policy': contentSecurityPolicy(),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The page loads scripts and styles only from its own files, connects only to its own server and the given URL, and cannot be framed. The
 * names and annotations that it shows may come from anybody.
 */
function contentSecurityPolicy(tokenEndpoint?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...(tokenEndpoint === undefined ? [] : [sourceOf(tokenEndpoint)])].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** A source expression for exactly this URL, without its query, which the syntax does not have (CSP 3 section 2.3.1). */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}

/** All files of the page; empty if it has not been built, as in a checkout that only runs tests. */
export function dashboardAssets(): DashboardAsset[] {
  return BUILT.list().flatMap((file) => {
    const mediaType = MEDIA_TYPES.get(path.extname(file));
    if (mediaType === undefined) return [];
    const content = (): Buffer => BUILT.read(file);
    const read = file === 'index.html' ? () => withProgramCall(content()) : content;
    return [{ path: file === 'index.html' ? '' : file, mediaType, immutable: file.startsWith('assets'), read }];
  });
}

/** The page shows commands to copy. It is public, so it names no file of this machine. */
function withProgramCall(page: Buffer): Buffer {
  if (!/^(npx |\.\/)/.test(PROGRAM_CALL)) return page;
  return Buffer.from(page.toString().replace(/(<meta name="program-call" content=")[^"]*/, `$1${PROGRAM_CALL}`));
}

export function cacheControl({ immutable }: DashboardAsset): string {
  return immutable ? 'public, max-age=31536000, immutable' : 'no-cache';
}
