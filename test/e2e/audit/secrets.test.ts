import { afterEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import type { AuditBackend } from '../../../src/audit/backends/audit-backend.js';
import { describeEvent } from '../../../src/audit/event/audit-event.js';
import { Auditor } from '../../../src/audit/auditor.js';
import { defaultPolicy, readPolicy } from '../../../src/audit/policy/read-policy.js';
import { PolicyEvaluator } from '../../../src/audit/policy/audit-policy.js';
import { PrivilegedGroupAuthorizer } from '../../../src/auth/authorization/authorizer.js';
import { UnionAuthorizer } from '../../../src/auth/authorization/request-authorizer.js';
import { type Answer, ask } from '../../support/http-client.js';
import { type TestServer, type TestServerOptions, startTestServer } from '../../support/test-server.js';
import { EventCollector } from './recorded-events.js';

const EVERYTHING = '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: RequestResponse}]}';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const SECRET = 'very-secret-token';

const review = (spec: unknown) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec });

function start(backend: AuditBackend, policy = readPolicy(EVERYTHING).policy, options: TestServerOptions = {}): Promise<TestServer> {
  const auditor = new Auditor({ policy: new PolicyEvaluator(policy), backend, now: () => Date.now() });
  return startTestServer({ auditor, authorizer: new UnionAuthorizer([new PrivilegedGroupAuthorizer()]), ...options });
}

describe('secrets', () => {
  const collector = new EventCollector();
  const log: string[] = [];

  const server = forAllTests(() => start(collector, undefined, { log, logLevel: 'trace', settings: { anonymousAuth: false } }));

  it('never appear in the audit log or the server log, whatever the policy and level', async () => {
    const authorization = `Bearer ${SECRET}`;
    const json = { 'content-type': 'application/json' };
    const asks: Promise<Answer>[] = [
      ask(server.url + LEASES, { headers: { authorization } }),
      ask(server.url + LEASES, { headers: { authorization: `Basic ${SECRET}` } }),
      ask(`${server.url}${LEASES}?access_token=${SECRET}&limit=1`, { headers: { authorization: '' } }),
      ask(`${server.url}${LEASES}?token=${SECRET}`),
      ask(`${server.url}/ui/?code=${SECRET}&state=x`),
      ask(server.url + LEASES, { headers: { cookie: SECRET, 'x-remote-user': SECRET } }),
      ask(server.url + REVIEWS, { method: 'POST', body: review({ token: SECRET }) }),
      ask(server.url + REVIEWS, { method: 'POST', body: `{"spec":{"token":"${SECRET}"`, headers: json }),
      ask(server.url + REVIEWS, { method: 'POST', body: review({ token: [SECRET] }) }),
      ask(`${server.url}${REVIEWS}?fieldValidation=Strict`, { method: 'POST', body: review({ token: 'x', [SECRET]: SECRET }) }),
      ask(server.url + REVIEWS, { method: 'POST', body: review({ token: SECRET }), headers: { authorization: 'Bearer alice-token' } }),
    ];
    const statuses = (await Promise.all(asks)).map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 200, 200, 200, 201, 400, 400, 400, 403]);
    expect(collector.lines.length).toBeGreaterThan(15);
    expect(log.length).toBeGreaterThan(0);
    for (const line of [...collector.lines, ...log]) {
      expect(line).not.toContain(SECRET);
      expect(line).not.toContain('admin-token');
      expect(line).not.toContain('alice-token');
    }
  });

  it('do not appear there when tokens are issued', async () => {
    const accounts = `${server.url}/api/v1/namespaces/default/serviceaccounts`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['a'] } };
    await ask(accounts, { method: 'POST', body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } } });
    const { status, json } = await ask(`${accounts}/robot/token`, { method: 'POST', body: request, headers: { 'audit-id': 'handed-out' } });
    const { token } = (json as unknown as { status: { token: string } }).status;
    expect([status, token.split('.').length]).toEqual([201, 3]);
    expect(collector.of('handed-out')).toMatchObject([{ level: 'Metadata' }, { level: 'Metadata', responseStatus: { code: 201 } }]);
    for (const line of [...collector.lines, ...log]) expect(line).not.toContain(token.split('.')[1]);
  });
});

describe('refused requests', () => {
  const collector = new EventCollector();
  const log: string[] = [];

  const server = forAllTests(() => start(collector, defaultPolicy(), { log, logLevel: 'info', settings: { anonymousAuth: false } }));

  const renewal = { method: 'PUT', body: { metadata: { name: 'x', resourceVersion: '1' } } };

  it.each([
    ['without a token', { authorization: '' }, 401, {}],
    ['with a wrong token', { authorization: 'Bearer wrong' }, 401, {}],
    ['of a user without rights', { authorization: 'Bearer alice-token' }, 403, { username: 'alice' }],
    ['of a user who impersonates another without rights', { 'impersonate-user': 'zoe' }, 403, { username: 'admin' }],
    [
      'of a user who may not impersonate others',
      { authorization: 'Bearer bob-token', 'impersonate-user': 'zoe' },
      403,
      { username: 'bob' },
    ],
  ])('%s are recorded and logged, including renewals', async (_who, headers, code, user) => {
    const auditId = `refused-${Math.random()}`;
    const answer = await ask(`${server.url}${LEASES}/x?access_token=a`, {
      ...renewal,
      headers: { ...headers, 'audit-id': auditId },
    });
    expect(answer.status).toBe(code);
    const [event, ...others] = collector.of(auditId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ level: 'Metadata', verb: 'update', user, responseStatus: { code } });
    const line = log.map((text) => JSON.parse(text) as Record<string, unknown>).find((each) => each['auditId'] === auditId);
    expect(line).toMatchObject({ code, verb: 'update', path: `${LEASES}/x`, from: '127.0.0.1' });
  });

  it('show the impersonated user and the authorization decision', async () => {
    await ask(`${server.url}${LEASES}/x`, { ...renewal, headers: { 'impersonate-user': 'zoe', 'audit-id': 'acting' } });
    expect(collector.of('acting')).toEqual([
      expect.objectContaining({
        impersonatedUser: { username: 'zoe', groups: ['system:authenticated'] },
        annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
      }),
    ]);
  });

  it('are recorded while allowed renewals are not', async () => {
    await ask(server.url + LEASES, { method: 'POST', body: { metadata: { name: 'x' } }, headers: { 'audit-id': 'made' } });
    await ask(`${server.url}${LEASES}/x`, { ...renewal, headers: { 'audit-id': 'renewed' } });
    expect(collector.of('made')).toHaveLength(1);
    expect(collector.of('renewed')).toEqual([]);
  });
});

const kept: TestServer[] = [];
function keep(server: TestServer): TestServer {
  kept.push(server);
  return server;
}
afterEach(() => Promise.all(kept.splice(0).map((server) => server.close())).then(() => undefined));

describe('an audit backend', () => {
  it('that fails in strict mode turns the request into a 500', async () => {
    const strict = keep(await start({ process: () => false, close: () => Promise.resolve() }));
    const answer = await ask(`${strict.url}${LEASES}`);
    expect(answer).toMatchObject({ status: 500, json: { message: 'Internal error occurred: failed to store audit event' } });
  });

  it('is awaited before the request is handled and before the response is sent', async () => {
    const order: string[] = [];
    const slow: AuditBackend = {
      process: async ([event]) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(event?.stage ?? '');
        return true;
      },
      close: () => Promise.resolve(),
    };
    const server = keep(await start(slow));
    await ask(`${server.url}${LEASES}`).then(() => order.push('answered'));
    expect(order).toEqual(['RequestReceived', 'ResponseComplete', 'answered']);
  });
});

describe('a server error', () => {
  it('is recorded as a panic, without the cause', async () => {
    const collector = new EventCollector();
    const faulty = {
      authorize: () =>
        ({
          allowed: true,
          get reason(): string {
            throw new Error(SECRET);
          },
        }) as never,
    };
    const server = keep(await start(collector, undefined, { authorizer: faulty }));
    const answer = await ask(`${server.url}${LEASES}`, { headers: { 'audit-id': 'fault' } });
    expect(answer.status).toBe(500);
    expect(collector.of('fault').map(({ stage }) => stage)).toEqual(['RequestReceived', 'Panic']);
    expect(collector.lines.join()).not.toContain(SECRET);
  });
});

describe('the audit ID of a request', () => {
  it("is the client's or a new one, is on every response, and is shortened only in the log", async () => {
    const log: string[] = [];
    const server = keep(await startTestServer({ log, logLevel: 'info', settings: { anonymousAuth: false } }));
    const long = 'x'.repeat(300);
    for (const path of ['/', '/healthz', '/nope', LEASES, '/swagger', '/swagger/swagger-ui.css', '/openapi/v2', '/metrics']) {
      expect((await ask(server.url + path, { headers: { 'audit-id': long } })).headers['audit-id']).toBe(long);
      expect((await ask(server.url + path)).headers['audit-id']).toMatch(/^[\da-f-]{36}$/);
    }
    await ask(server.url + LEASES, { headers: { authorization: '', 'audit-id': long } });
    expect(JSON.parse(log.at(-1) ?? '{}')).toMatchObject({ auditId: 'x'.repeat(64) });
  });
});

describe('the legacy format', () => {
  it('is a single line, whatever the client sends', async () => {
    const lines: string[] = [];
    const server = keep(await start({ process: (events) => lines.push(...events.map(describeEvent)) > 0, close: () => Promise.resolve() }));
    await ask(`${server.url}${LEASES}?x=%0a`, { headers: { 'user-agent': 'a\tb"c' } });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).not.toMatch(/[\n\t]/);
  });
});
