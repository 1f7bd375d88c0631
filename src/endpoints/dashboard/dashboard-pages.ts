import type { ApiRequest } from '../request/api-request.js';
import { SharedDocument } from '../response/shared-document.js';
import { sendNothing } from '../response/send-response.js';
import { cacheControl, DASHBOARD_HEADERS, dashboardAssets } from './dashboard-assets.js';

const PATH = '/ui';

type Serve = (request: ApiRequest) => Promise<void>;

/**
 * The dashboard by its paths, its files read when somebody first looks at it. It needs no token: a browser sends none when it loads a page,
 * and there is nothing secret in it. What it shows comes from the API, by its user's own rights.
 */
export function dashboardPages(): Map<string, Serve> {
  const pages = new Map<string, Serve>();
  for (const asset of dashboardAssets()) {
    const headers = { ...DASHBOARD_HEADERS, 'cache-control': cacheControl(asset) };
    const document = new SharedDocument({ mediaType: asset.mediaType, headers, make: asset.read });
    pages.set(`${PATH}/${asset.path}`, (request) => document.serve(request));
  }
  // Its files are beside it, so that its address ends in a slash; relative, for a proxy that has it below another path.
  if (pages.size > 0) pages.set(PATH, toSlash);
  return pages;
}

function toSlash(request: ApiRequest): Promise<void> {
  sendNothing(request, 302, { location: 'ui/', 'content-length': 0 });
  return Promise.resolve();
}
