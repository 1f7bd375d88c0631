import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorizerOf } from '../../support/rights.js';
import { ROOT_URL, parseQuery, parseRequestUrl } from '../../../src/endpoints/request-info/query.js';
import { type RequestInfo, parseRequestInfo } from '../../../src/endpoints/request-info/request-info.js';
import { Random } from '../../fuzz/random.js';
import { startTestServer } from '../../support/test-server.js';
import { type Exchange, exchangesOf, matrixResources, plainExchanges } from './exchanges.js';
import { randomPolicy } from './random-policy.js';
import { type Policy, CHOSEN, referenceAllows, SUBJECTS } from './reference-evaluation.js';

const RANDOM_POLICIES = 20;

function infoOf({ method, path }: Exchange): RequestInfo {
  const url = parseRequestUrl(path) ?? ROOT_URL;
  return parseRequestInfo(method, url, () => parseQuery(url.rawQuery));
}

describe('every verb on every resource and path shape, as every kind of subject', () => {
  let exchanges: (Exchange & { info: RequestInfo })[];

  beforeAll(async () => {
    await using server = await startTestServer();
    const all = [...(await matrixResources(server.url)).flatMap(exchangesOf), ...plainExchanges()];
    exchanges = all.map((exchange) => ({ ...exchange, info: infoOf(exchange) }));
  });

  const policies: [string, Policy][] = [
    ['a policy chosen by hand', CHOSEN],
    ...Array.from({ length: RANDOM_POLICIES }, (_, seed): [string, Policy] => [`random policy ${seed}`, randomPolicy(new Random(seed))]),
  ];

  it.each(policies)('is allowed or denied as in the reference, under %s', (_title, policy) => {
    const authorizer = authorizerOf(policy);
    const wrong: string[] = [];
    const counts = { allowed: 0, refused: 0 };
    for (const { user } of SUBJECTS) {
      const known = { ...user, uid: '', extra: {} };
      for (const { method, path, wanted, info } of exchanges) {
        const expected = referenceAllows(policy, user, wanted);
        const decision = authorizer.authorize(known, info);
        if (decision instanceof Promise || decision.allowed !== expected) wrong.push(`${user.name}: ${method} ${path}: not ${expected}`);
        counts[expected ? 'allowed' : 'refused'] += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(counts.allowed).toBeGreaterThan(1000);
    expect(counts.refused).toBeGreaterThan(1000);
  });
});
