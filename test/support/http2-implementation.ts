import type { Http2Implementation } from '../../src/endpoints/connections/open-connection.js';
import { loadConfig } from '../../src/server/config/load-config.js';

const VARIABLE = 'COORDINATION_APISERVER_HTTP2_IMPLEMENTATION';
const environment = { [VARIABLE]: process.env[VARIABLE] };

/** The HTTP/2 implementation of servers under test: `--http2-implementation`, which the tests read from its environment variable. */
export const HTTP2_IMPLEMENTATION: Http2Implementation = loadConfig({ flags: {}, environment }).http2Implementation;

/** Tests of behaviour that node:http2 cannot provide, with the reason. */
const ONLY_OWN = {
  'is not reset while its client takes it slowly': 'node:http2 tells of whole writes alone what its client has taken',
  'ends the connection where the client reads none of its bytes, over either protocol':
    'node:http2 does not tell what the kernel has taken',
};

/** A test that is skipped, with the reason, when node:http2 is under test. */
export function testOwnHttp2(name: keyof typeof ONLY_OWN, run: () => Promise<void>): void {
  if (HTTP2_IMPLEMENTATION === 'own') test(name, run);
  else test.skip(`${name}: skipped: ${ONLY_OWN[name]}`, run);
}
