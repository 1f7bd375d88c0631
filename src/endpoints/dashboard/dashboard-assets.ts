import path from 'node:path';
import { PROGRAM_CALL } from '../../settings/program-call.js';
import { programFolder } from '../../settings/program-files.js';

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
export function contentSecurityPolicy(tokenEndpoint?: string): string {
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
