import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { metricSum } from '../../support/scrape.js';
import { eventually } from '../../support/eventually.js';
import { ask as askServer } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { ServerRun } from '../lifecycle/server-run.js';
import { failureOf } from './run-command.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const server = forAllTests(() => startServerProcess());
let command: ServerRun;
let url: URL;
beforeEach(async () => {
  command = new ServerRun(['ui', '--port', '0', '--data-dir', server.dataDir]);
  const printed = () => /http:\/\/127\.0\.0\.1:\d+\/ui\/#key=\S+/.exec(command.stdout)?.[0];
  url = new URL(await eventually(printed, () => command.stderr));
});
afterEach(() => command.end('SIGKILL'));

function ask(target: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: url.port, path: target, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

/** What the page adds in a tab that has opened the printed address. */
const asPage = () => ({ 'coordination-ui-key': keyOf(url), 'sec-fetch-site': 'same-origin' });
const keyOf = ({ hash }: URL) => hash.slice('#key='.length);

describe('coordination-apiserver ui', () => {
  it('serves the page, and the API with the rights of the kubeconfig, to a tab that has opened the printed address', async () => {
    const own = asPage();
    const page = await ask('/ui/');
    expect([page.status, page.headers['content-security-policy']]).toEqual([200, expect.stringContaining("default-src 'none'")]);
    expect(page.headers['content-encoding']).toBeUndefined();
    expect((await ask('/ui/', { 'accept-encoding': 'gzip, br' })).headers['content-encoding']).toBe('gzip');
    const list = await ask(LEASES, own);
    expect([list.status, JSON.parse(list.text)]).toEqual([200, expect.objectContaining({ kind: 'LeaseList' })]);
    expect(list.headers.date).toBeDefined();
    const review = await ask(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { ...own, 'content-type': 'application/json' },
      'POST',
      '{}',
    );
    expect([review.status, review.text]).toEqual([201, expect.stringContaining('"username"')]);
  });

  it('streams watches, and ends them when the browser disconnects', async () => {
    const own = asPage();
    const ours = ['resource="leases"', 'verb="WATCH"', 'scope="namespace"'];
    const open = () => metricSum(server.url, 'apiserver_longrunning_requests', ...ours);
    const before = await open();
    const sent = request({ host: '127.0.0.1', port: url.port, path: `${LEASES}?watch=true`, headers: own, agent: false });
    const first = new Promise<string>((resolve, reject) => {
      sent.on('error', reject).on('response', (response) => response.once('data', (chunk: Buffer) => resolve(chunk.toString())));
    });
    sent.end();
    await askServer(`${server.url}${LEASES}`, { method: 'POST', body: { metadata: { name: 'seen' } } });
    expect(await first).toContain('"seen"');
    expect(await open()).toBe(before + 1);
    sent.on('error', () => undefined).destroy();
    const isEnded = async () => (await open()) === before;
    await eventually(isEnded, () => 'the watch goes on');
  });

  it('refuses requests without its key and requests from other origins', async () => {
    const own = asPage();
    const refused: [string, Record<string, string>][] = [
      ['no key', {}],
      ['the key in a cookie, which other ports of this computer get too', { cookie: `coordination-ui-${url.port}=${keyOf(url)}` }],
      ['a token of its own', { authorization: 'Bearer admin-token' }],
      ['another name, as after DNS rebinding', { ...own, host: `evil.example:${url.port}` }],
      ['another origin', { ...own, origin: 'https://evil.example' }],
      ['another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ];
    for (const [who, headers] of refused) {
      const { status, headers: answered } = await ask(LEASES, headers);
      expect([who, status, answered['access-control-allow-origin']]).toEqual([who, 403, undefined]);
    }
    for (const target of [`/ui/?key=${keyOf(url)}`, `/ui/`]) expect((await ask(target)).headers['set-cookie']).toBeUndefined();
    const preflight = { 'access-control-request-headers': 'coordination-ui-key', 'access-control-request-method': 'GET' };
    const asked = await ask(LEASES, { ...preflight, origin: `http://127.0.0.1:1` }, 'OPTIONS');
    expect([asked.status, Object.keys(asked.headers).filter((name) => name.startsWith('access-control'))]).toEqual([403, []]);
    expect((await ask(LEASES, { host: 'evil.example' })).text).not.toContain(keyOf(url));
  });

  it('limits the use of the credentials to requests that the page makes', async () => {
    const own = asPage();
    for (const [method, target] of [
      ['DELETE', `${LEASES}/seen`],
      ['POST', '/api/v1/namespaces/kube-system/serviceaccounts/default/token'],
      ['GET', '/apis/../metrics/../swagger'],
      ['GET', '/openapi/v2'],
    ] as const) {
      expect([method, target, (await ask(target, own, method)).status]).toEqual([method, target, 403]);
    }
    const long = await ask(`${LEASES}/seen`, { ...own, 'content-type': 'application/merge-patch+json' }, 'PATCH', ' '.repeat(100_000));
    expect(long.status).toBe(413);
  });

  it('exits cleanly while watches are open', async () => {
    const sent = request({ host: '127.0.0.1', port: url.port, path: `${LEASES}?watch=true`, headers: asPage(), agent: false });
    await new Promise((resolve) =>
      sent
        .on('error', () => undefined)
        .on('response', resolve)
        .end(),
    );
    expect(await command.end('SIGTERM')).toBe(0);
    expect(command.stderr).toBe('');
  });

  it('reports why it cannot start', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await failureOf(['ui', '--data-dir', server.dataDir, '--port', String(port)])).toContain(`port ${port} is in use`);
    other.close();
    const nowhere = path.join(server.dataDir, 'nothing');
    expect(await failureOf(['ui', '--data-dir', nowhere], { HOME: nowhere })).toContain(`no server has run in ${nowhere} yet`);
    expect(await failureOf(['ui', '--kubeconfig', nowhere])).toContain('cannot read the kubeconfig');
    expect(await failureOf(['ui', '--port', 'x'])).toContain('invalid value "x" for --port');
  });
});
