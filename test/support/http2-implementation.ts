import type { Http2Implementation } from '../../src/endpoints/connections/http2-session.js';
import { loadConfig } from '../../src/server/config/load-config.js';

const VARIABLE = 'COORDINATION_APISERVER_HTTP2_IMPLEMENTATION';
const environment = { [VARIABLE]: process.env[VARIABLE] };

/** What servers under test speak HTTP/2 with: `--http2-implementation`, as its environment variable says to the tests as well. */
export const HTTP2_IMPLEMENTATION: Http2Implementation = loadConfig({ flags: {}, environment }).http2Implementation;

/** What is expected with the implementation under test, where they differ on purpose. */
export function byHttp2Implementation<T>(expected: Readonly<Record<Http2Implementation, T>>): T {
  return expected[HTTP2_IMPLEMENTATION];
}

/** Whether a process that a test starts inherits the variable; those that would configure it in any other way are kept from it. */
export function isInherited(name: string): boolean {
  return name === VARIABLE || !/^(DATABASE_URL$|PG|COORDINATION_|NODE_OPTIONS$|npm_)/.test(name);
}
