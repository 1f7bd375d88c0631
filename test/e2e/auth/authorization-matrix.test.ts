import https from 'node:https';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { authorizerOf } from '../../support/rights.js';
import { startTestServer } from '../../support/test-server.js';
import { type Exchange, exchangesOf, matrixResources, plainExchanges } from './exchanges.js';
import { CHOSEN, referenceAllows, SUBJECTS } from './reference-evaluation.js';

/** Each subject makes one in SAMPLING exchanges, and each subject makes different ones. */
const SAMPLING = 5;

describe('every verb on every resource and path shape, as every kind of subject, over HTTP', () => {
  let exchanges: Exchange[];
  const agent = new https.Agent({ keepAlive: true, maxSockets: 8 });

  const server = forAllTests(() => startTestServer({ authorizer: authorizerOf(CHOSEN) }));
  beforeAll(async () => {
    exchanges = [...(await matrixResources(server.url)).flatMap(exchangesOf), ...plainExchanges()];
  });
  afterAllTests(() => {
    agent.destroy();
  });

  /** The status of a response. The body is not awaited, since some responses are watches. */
  function statusOf({ method, path }: Exchange, headers: Record<string, string | string[]>): Promise<number> {
    return new Promise((resolve, reject) => {
      const body = method === 'GET' || method === 'HEAD' ? '' : '{';
      const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      const request = https.request(
        new URL(path, server.url),
        { method, agent, ca: server.authority, headers: { ...headers, ...type, 'content-length': String(body.length) } },
        (response) => {
          resolve(response.statusCode ?? 0);
          if (/^\/apis?\/.*watch/.test(path)) response.destroy();
          else response.resume();
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }

  test.each(SUBJECTS.map((subject, at) => [subject.title, subject, at] as const))('%s', async (_title, { headers, user }, number) => {
    const sample = exchanges.filter((_, at) => (at + number) % SAMPLING === 0);
    expect(sample.length).toBeGreaterThan(300);
    const wrong: string[] = [];
    for (let at = 0; at < sample.length; at += 8) {
      await Promise.all(
        sample.slice(at, at + 8).map(async (exchange) => {
          const expected = referenceAllows(CHOSEN, user, exchange.wanted);
          const status = await statusOf(exchange, headers);
          if ((status !== 403) !== expected) {
            wrong.push(`${exchange.method} ${exchange.path}: ${status}, though ${expected ? 'allowed' : 'not allowed'}`);
          }
        }),
      );
    }
    expect(wrong).toEqual([]);
  });
});
