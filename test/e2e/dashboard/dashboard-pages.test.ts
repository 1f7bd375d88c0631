import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { DenyAllAuthorizer } from '../../support/deny-all-authorizer.js';
import { ask } from '../../support/http-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

let server: TestServer;
afterEach(() => server.close());
const nobody = { authorization: '' };
const get = (path: string, headers: Record<string, string> = {}) => ask(`${server.url}${path}`, { headers: { ...nobody, ...headers } });

describe('the pages of the dashboard', () => {
  beforeEach(async () => {
    // Nobody has any rights, so every successful response is public.
    server = await startTestServer({ settings: { anonymousAuth: false }, authorizer: new DenyAllAuthorizer() });
  });

  it('are public, with everything they load', async () => {
    const page = await get('/ui/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const loaded = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = '']) => new URL(file, `${server.url}/ui/`));
    expect(loaded.map(({ pathname }) => pathname.split('.').at(-1)).sort()).toEqual(['css', 'js', 'svg']);
    for (const { origin, pathname } of loaded) expect([origin, (await get(pathname)).status]).toEqual([server.url, 200]);
  });

  it('run only scripts of their own', async () => {
    const { headers, text } = await get('/ui/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("; connect-src 'self';");
    expect(policy).not.toMatch(/unsafe|data:|\*|https?:/);
    expect(text).toContain('<meta name="sign-in" content="" />');
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=|\son\w+=/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  it('are identical for all clients, and files with a hash in their name are cached for good', async () => {
    const page = await get('/ui/');
    expect(page.headers['cache-control']).toBe('no-cache');
    expect((await get('/ui/', { 'if-none-match': String(page.headers['etag']) })).status).toBe(304);
    const script = /src="\.(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    const { headers } = await get(`/ui${script}`, { 'accept-encoding': 'gzip' });
    expect(headers).toMatchObject({ 'cache-control': expect.stringContaining('immutable'), 'content-encoding': 'gzip' });
    expect(Number(headers['content-length'])).toBeLessThan(100_000);
  });

  it("are served without the trailing slash, also below a proxy's path", async () => {
    const { status, headers } = await get('/ui');
    expect([status, headers.location]).toEqual([302, 'ui/']);
  });

  it('give no access to other files', async () => {
    for (const path of ['/ui/../package.json', '/ui/%2e%2e/package.json', '/ui/assets/', '/ui/assets', '/ui/nothing.js']) {
      expect([path, (await get(path)).status]).not.toEqual([path, 200]);
    }
  });
});

test('the dashboard can be switched off', async () => {
  server = await startTestServer({ settings: { ui: false } });
  expect((await get('/ui/')).status).toBe(404);
  expect((await get('/ui')).status).toBe(404);
  expect((await get('/', { accept: 'text/html' })).headers.location).toBe('swagger');
});

test("a path is served only under its own name, not under its controller's", async () => {
  server = await startTestServer();
  for (const path of ['/landing', '/ui/-', '/swagger/-']) {
    const { status, text } = await get(path, { authorization: 'Bearer admin-token', accept: 'text/html' });
    expect([path, status, text]).toEqual([path, 404, '404 page not found\n']);
  }
});
