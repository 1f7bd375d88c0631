import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { CertificateVerifier } from '../../../src/auth/authentication/x509/certificate-verifier.js';
import { X509Authenticator } from '../../../src/auth/authentication/x509/x509-authenticator.js';
import { type TestCertificate, authority, clientCertificate } from '../../support/certificates.js';
import { ask as send } from '../../support/http-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const ADMIN = { authorization: 'Bearer admin-token' };
const TOKEN = `base64url.bearer.authorization.k8s.io.${Buffer.from('admin-token').toString('base64url')}`;

interface Message {
  readonly type: string;
  readonly object: { kind: string; metadata: { name?: string; resourceVersion?: string; annotations?: Record<string, string> } };
}

interface WatchOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
  readonly origin?: string | null;
}

let server: TestServer;

/** A watch of a real client; it keeps its messages. */
class Watch {
  readonly socket: WebSocket;
  readonly messages: { data: Buffer; binary: boolean }[] = [];
  readonly closed: Promise<unknown>;

  constructor(
    path: string,
    { headers = ADMIN, protocols = [], origin = 'https://dashboard.example' }: WatchOptions = {},
    shows?: TestCertificate,
  ) {
    const url = `${server.url.replace('https', 'wss')}${path}`;
    this.socket = new WebSocket(url, [...protocols], {
      ca: server.authority,
      headers,
      ...(shows ? { key: shows.key, cert: shows.cert } : {}),
      ...(origin === null ? {} : { origin }),
    });
    this.socket.on('message', (data: Buffer, binary) => this.messages.push({ data, binary }));
    this.closed = once(this.socket, 'close');
    this.closed.catch(() => undefined);
  }

  open(): Promise<unknown> {
    return once(this.socket, 'open');
  }

  /** The status of a response that is not an upgrade. */
  async refusal(): Promise<number> {
    const [, response] = (await once(this.socket, 'unexpected-response')) as [unknown, IncomingMessage];
    this.socket.on('error', () => undefined);
    this.socket.terminate();
    return response.statusCode ?? 0;
  }

  events(): Message[] {
    return this.messages.map(({ data }) => JSON.parse(data.toString()) as Message);
  }

  async until(count: number): Promise<Message[]> {
    while (this.messages.length < count) await once(this.socket, 'message');
    return this.events();
  }
}

const ask = async (method: string, path: string, body?: object) => (await send(`${server.url}${path}`, { method, body })).status;
const create = (name: string) => ask('POST', LEASES, { metadata: { name } });

describe('a watch over a WebSocket', () => {
  beforeAll(async () => (server = await startTestServer({ settings: { anonymousAuth: false } })));
  afterAll(() => server.close());

  it('sends a text message for each event, with the document of an ordinary watch', async () => {
    await create('text-a');
    await create('text-b');
    const watch = new Watch(`${LEASES}?watch=true&labelSelector=`);
    await watch.until(2);
    await ask('DELETE', `${LEASES}/text-a`);
    const events = await watch.until(3);
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['ADDED text-a', 'ADDED text-b', 'DELETED text-a']);
    expect(watch.messages.every(({ data, binary }) => !binary && data.at(-1) === 0x0a)).toBe(true);
    watch.socket.close();
    await watch.closed;
    await ask('DELETE', `${LEASES}/text-b`);
  });

  it.each([
    ['application/vnd.kubernetes.protobuf', (data: Buffer) => data.includes('ADDED') && data[0] === 0x0a],
    ['application/cbor', (data: Buffer) => data.subarray(0, 3).equals(Buffer.from([0xd9, 0xd9, 0xf7]))],
  ])('sends %s as binary messages without a length prefix', async (accept, isEvent) => {
    await create('binary');
    const watch = new Watch(`${LEASES}?watch=true`, { headers: { ...ADMIN, accept } });
    while (watch.messages.length === 0) await once(watch.socket, 'message');
    expect(watch.messages[0]?.binary).toBe(true);
    expect(isEvent(watch.messages[0]!.data)).toBe(true);
    watch.socket.close();
    await ask('DELETE', `${LEASES}/binary`);
  });

  it('works on the /watch/ paths, with bookmarks and Tables', async () => {
    await create('table');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const watch = new Watch(`/apis/coordination.k8s.io/v1/watch/namespaces/default/leases/table`, { headers: { ...ADMIN, accept } });
    await watch.until(1);
    await ask('DELETE', `${LEASES}/table`);
    const [, event] = await watch.until(2);
    expect(event).toMatchObject({ type: 'DELETED', object: { kind: 'Table' } });
    const initial = `watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
    const list = new Watch(`${LEASES}?${initial}`);
    const [mark] = await list.until(1);
    expect(mark?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    list.socket.close();
    watch.socket.close();
  });

  it('takes the token from a subprotocol and selects the other one', async () => {
    const watch = new Watch(`${LEASES}?watch=true`, { headers: {}, protocols: [TOKEN, 'v4.channel.k8s.io'] });
    await watch.open();
    expect(watch.socket.protocol).toBe('v4.channel.k8s.io');
    watch.socket.close();
  });

  it.each<[string, number, WatchOptions]>([
    ['without a token', 401, { headers: {} }],
    ['with an unknown token', 401, { headers: { authorization: 'Bearer nobody' } }],
    ['with a token as its only subprotocol', 401, { headers: {}, protocols: [TOKEN] }],
    ['with a token that is not base64url', 401, { headers: {}, protocols: [`${TOKEN}~`, 'v4.channel.k8s.io'] }],
    ['with two tokens', 401, { headers: {}, protocols: [TOKEN, `${TOKEN}A`, 'v4.channel.k8s.io'] }],
    ['with an unknown token as a subprotocol', 401, { headers: {}, protocols: [`${TOKEN}A`, 'v4.channel.k8s.io'] }],
    ['without Origin', 403, { origin: null }],
    ['with an Origin that is not a URL', 403, { origin: 'nowhere' }],
    ['with two subprotocols', 400, { protocols: ['a', 'b'] }],
    ['for an unknown media type', 406, { headers: { ...ADMIN, accept: 'text/html' } }],
  ])('%s is refused with %i', async (_what, status, options) => {
    expect(await new Watch(`${LEASES}?watch=true`, options).refusal()).toBe(status);
  });

  it('is answered as an ordinary request if it is no watch or an invalid one', async () => {
    expect(await new Watch('/apis/coordination.k8s.io/v1/namespaces/default/leases').refusal()).toBe(200);
    expect(await new Watch('/version').refusal()).toBe(200);
    expect(await new Watch('/nothing').refusal()).toBe(404);
    expect(await new Watch(`${LEASES}?watch=true&fieldSelector=spec.holder%3Da`).refusal()).toBe(400);
    expect(await new Watch(`${LEASES}?watch=true&resourceVersion=abc`).refusal()).toBeGreaterThanOrEqual(400);
  });

  it('ignores other upgrades', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { ...ADMIN, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
      const sent = request(`${server.url}/version`, { headers, ca: server.authority }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(200);
  });

  it('ignores messages from the client', async () => {
    const watch = new Watch(`${LEASES}?watch=true`);
    await watch.open();
    watch.socket.send('hello');
    watch.socket.send(Buffer.alloc(4096));
    await create('after-noise');
    expect((await watch.until(1))[0]).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'after-noise' } } });
    watch.socket.close();
    await ask('DELETE', `${LEASES}/after-noise`);
  });

  it('ends when the client sends more than the limit', async () => {
    for (const say of [
      (socket: WebSocket) => socket.send(Buffer.alloc(4097)),
      (socket: WebSocket) => Array.from({ length: 20 }, () => socket.send('x', { fin: false })),
    ]) {
      const watch = new Watch(`${LEASES}?watch=true`);
      await watch.open();
      say(watch.socket);
      expect([1008, 1009]).toContain(((await watch.closed) as [number])[0]);
    }
  });

  it('is closed by the server at its timeout', async () => {
    const watch = new Watch(`${LEASES}?watch=true&timeoutSeconds=1`);
    const [code] = (await watch.closed) as [number];
    expect(code).toBe(1000);
  });

  it('is closed at shutdown without delaying it', async () => {
    const other = await startTestServer({ shutdownGraceMs: 600_000 });
    const url = `${other.url.replace('https', 'wss')}${LEASES}?watch=true`;
    const socket = new WebSocket(url, { ca: other.authority, headers: ADMIN, origin: 'https://a.example' });
    await once(socket, 'open');
    const closed = once(socket, 'close') as Promise<[number]>;
    await other.close();
    expect((await closed)[0]).toBe(1000);
  });
});

describe('a WebSocket from a web page', () => {
  const OTHER = 'https://evil.example';
  const ALLOWED = 'https://dashboard.example';
  let shows: TestCertificate;
  const watch = (options: WatchOptions & { shown?: boolean }) =>
    new Watch(`${LEASES}?watch=true`, options, options.shown ? shows : undefined);
  const opens = async (options: WatchOptions & { shown?: boolean }): Promise<void> => {
    const opened = watch(options);
    await opened.open();
    opened.socket.close();
  };

  beforeAll(async () => {
    const clients = await authority('clients');
    shows = await clientCertificate(clients, 'CN=alice');
    server = await startTestServer({
      certificates: {
        authenticators: [new X509Authenticator(new CertificateVerifier([clients.x509], Date.now))],
        authorities: clients.cert,
      },
      settings: { webSocketAllowedOrigins: [ALLOWED] },
    });
  });
  afterAll(() => server.close());

  it('is refused from another origin, with a certificate or anonymously, even with a token as well', async () => {
    const subprotocols = [TOKEN, 'v4.channel.k8s.io'];
    for (const origin of [OTHER, `${ALLOWED}.evil.example`, server.url.replace('https', 'http'), '/', null]) {
      expect([origin, await watch({ headers: {}, origin, shown: true }).refusal()]).toEqual([origin, 403]);
      expect([origin, await watch({ headers: {}, origin }).refusal()]).toEqual([origin, 403]);
      expect([origin, await watch({ headers: {}, origin, shown: true, protocols: subprotocols }).refusal()]).toEqual([origin, 403]);
    }
  });

  it("is accepted from this server's origin and from allowed origins", async () => {
    for (const origin of [server.url, ALLOWED]) {
      await opens({ headers: {}, origin, shown: true });
      await opens({ headers: {}, origin });
    }
  });

  it('is accepted from any origin with an explicit token', async () => {
    await opens({ headers: {}, origin: OTHER, protocols: [TOKEN, 'v4.channel.k8s.io'] });
    await opens({ origin: OTHER });
    await opens({ origin: OTHER, shown: true });
  });
});
