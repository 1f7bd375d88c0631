import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the build puts packages/dashboard; the same from src and from dist. */
const BUILT = fileURLToPath(new URL('../../../dist/ui/', import.meta.url));

/** A file of the dashboard's page, as anybody may load it. */
export interface DashboardAsset {
  /** Below the page: `assets/index-4711.js`; '' for the page itself. */
  readonly path: string;
  readonly mediaType: string;
  /** Its name changes with its bytes, so that whoever has it need not ask again. */
  readonly immutable: boolean;
  readonly read: () => Buffer;
}

const MEDIA_TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/**
 * The page runs its own scripts and styles alone, from files, and talks to its own server alone; nobody shows it in a frame. Names and
 * annotations that it shows are anybody's.
 */
export const DASHBOARD_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** All files of the page; none where it was not built, as in a checkout that only runs tests. */
export function dashboardAssets(): DashboardAsset[] {
  return builtFiles().flatMap((file) => {
    const mediaType = MEDIA_TYPES.get(path.extname(file));
    if (mediaType === undefined) return [];
    // eslint-disable-next-line security/detect-non-literal-fs-filename -- of the build's own directory
    const read = (): Buffer => readFileSync(path.join(BUILT, file));
    return [{ path: file === 'index.html' ? '' : file.replaceAll(path.sep, '/'), mediaType, immutable: file.startsWith('assets'), read }];
  });
}

function builtFiles(): string[] {
  try {
    // eslint-disable-next-line security/detect-non-literal-fs-filename -- a path of this program
    return readdirSync(BUILT, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function cacheControl({ immutable }: DashboardAsset): string {
  return immutable ? 'public, max-age=31536000, immutable' : 'no-cache';
}
