import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { describeWith, HAPROXY } from '../../clients/toolchain.js';
import { freePorts } from '../../failover/cluster/free-ports.js';
import { eventually } from '../../support/eventually.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { secureRequest } from '../../support/secure-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { startTestServer } from '../../support/test-server.js';

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/x';
const ADMIN = { authorization: 'Bearer admin-token' };
const [PROXY, STRANGER, CLIENT] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const header = (client: string) => Buffer.from(`PROXY TCP4 ${client} 192.0.2.1 56324 6443\r\n`);
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const binary = (hex: string) => Buffer.concat([SIGNATURE, Buffer.from(hex, 'hex')]);

interface Way {
  readonly from?: string;
  /** What is sent before TLS. */
  readonly header?: Buffer;
  /** The bytes of one packet; default: as they come, the header together with the first of TLS. */
  readonly packet?: number;
}

/** A connection below TLS. */
async function open(port: number, { from = PROXY, header: first = Buffer.alloc(0), packet = Infinity }: Way): Promise<Duplex> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  await once(socket, 'connect');
  let due = first;
  const send = async (chunk: Buffer): Promise<void> => {
    const bytes = Buffer.concat([due, chunk]);
    due = Buffer.alloc(0);
    for (let at = 0; at < bytes.length; at += packet) {
      socket.write(bytes.subarray(at, Math.min(at + packet, bytes.length)));
      if (packet < bytes.length) await new Promise(setImmediate);
    }
  };
  const wire = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => void send(chunk).then(() => done()),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk) => wire.push(chunk)).on('close', () => wire.destroy());
  socket.on('error', () => undefined);
  return wire;
}

async function get(port: number, way: Way, protocol: 'http/1.1' | 'h2' = 'http/1.1', headers: object = ADMIN): Promise<number> {
  const wire = await open(port, way);
  const request = { path: LEASE, headers: { ...headers, 'user-agent': 'test/1' }, protocol, tls: { socket: wire } };
  return (await secureRequest(port, request)).status;
}

/** A bare connection, and what the server says until it closes it. */
async function answerTo(port: number, bytes: Buffer, from = PROXY): Promise<string> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket).catch(() => '');
}

describe('connections of a proxy that begin with a PROXY header', () => {
  const folder = scratchDirectory();
  const lines = () => server.output().split('\n');
  const audited = () => lines().filter((line) => line.includes('"auditID"'));

  const server = forAllTests(() => {
    const policy = path.join(folder, 'audit.yaml');
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{ level: Metadata }]\n');
    const flags = ['--audit-log-path=-', `--audit-policy-file=${policy}`, '--log-level=debug', '--logging-format=json'];
    return startServerProcess({ flags: [...flags, `--proxy-protocol=${PROXY},192.0.2.0/24`] });
  });

  test.each<[string, Way & { client: string }]>([
    ['version 1', { header: header('203.0.113.1'), client: '203.0.113.1' }],
    ['version 1 in packets of a byte', { header: header('203.0.113.2'), packet: 1, client: '203.0.113.2' }],
    ['version 1 over IPv6', { header: Buffer.from('PROXY TCP6 2001:DB8:0::3 ::1 1 2\r\n'), client: '2001:db8::3' }],
    ['version 2', { header: binary('2111000ccb007104c000020186a01a0b'), client: '203.0.113.4' }],
    [
      'version 2 with TLVs, in packets of seven bytes',
      { header: binary('21110013cb007105c000020186a01a0b030004deadbeef'), packet: 7, client: '203.0.113.5' },
    ],
    ['version 2 of the proxy itself', { header: binary('20000000'), client: PROXY }],
    ['version 2 of a UNIX socket', { header: binary(`213100d8${'00'.repeat(216)}`), client: PROXY }],
  ])('are of the client in the header: %s', async (_, { client, ...way }) => {
    for (const protocol of ['http/1.1', 'h2'] as const) {
      const before = lines().length;
      expect(await get(server.port, way, protocol)).toBe(404);
      expect(await get(server.port, way, protocol, { authorization: 'Bearer wrong' })).toBe(401);
      await eventually(() => {
        const recent = lines()
          .slice(before - 1)
          .join('\n');
        return [`"sourceIPs":["${client}"]`, `"from":"${client}"`, `"address":"${client}"`].every((part) => recent.includes(part));
      });
    }
  });

  test('others begin with TLS, and their headers are no lies that count', async () => {
    expect(await get(server.port, { from: STRANGER })).toBe(404);
    await eventually(() => audited().at(-1)?.includes(`"sourceIPs":["${STRANGER}"]`) ?? false);
    await expect(get(server.port, { from: STRANGER, header: header('203.0.113.66') })).rejects.toThrow();
    await expect(get(server.port, { header: Buffer.concat([header('203.0.113.6'), header('203.0.113.66')]) })).rejects.toThrow();
    expect(server.output()).not.toContain('203.0.113.66');
  });

  test.each<[string, Buffer]>([
    ['TLS at once', Buffer.from('16030100', 'hex')],
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a line without end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(60_000)}`)],
    ['a header of 64 KiB', Buffer.concat([binary('2111ffff'), Buffer.alloc(60_000)])],
    ['another version', binary('3111000ccb007104c000020186a01a0b')],
  ])('a proxy that sends %s gets no answer', async (_, bytes) => {
    expect(await answerTo(server.port, bytes)).toBe('');
    expect(await get(server.port, { header: header(CLIENT) })).toBe(404);
    await eventually(() => server.output().includes('"reason":"no PROXY header"'));
  });

  test('a header that does not come ends the connection after five seconds, however it trickles', async () => {
    const socket = net.connect({ port: server.port, host: '127.0.0.1', localAddress: PROXY });
    socket.on('error', () => undefined);
    socket.write('PROXY TCP4 ');
    const trickle = setInterval(() => socket.write(' '), 200);
    const [silent] = await Promise.all([answerTo(server.port, Buffer.alloc(0)), once(socket.resume(), 'close')]);
    clearInterval(trickle);
    expect(silent).toBe('');
  }, 20_000);

  test('probes that connect and leave are not logged', async () => {
    // one whose log has nothing of other connections, which may come late
    await using other = await startServerProcess({ flags: [`--proxy-protocol=${PROXY}`, '--logging-format=json'] });
    const socket = net.connect({ port: other.port, host: '127.0.0.1', localAddress: PROXY });
    socket.end();
    await once(socket.resume(), 'close');
    expect(await answerTo(other.port, Buffer.from('16030100', 'hex'))).toBe('');
    await eventually(() => other.output().includes('TLS handshake failed'));
    expect(other.output().split('TLS handshake failed')).toHaveLength(2);
  });

  test('1,500 connections without their header keep no client out', async () => {
    const sockets = Array.from({ length: 1500 }, () => net.connect({ port: server.port, host: '127.0.0.1', localAddress: PROXY }));
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(await get(server.port, { header: header(CLIENT) })).toBe(404);
    expect(await get(server.port, { from: STRANGER })).toBe(404);
    await eventually(() => sockets.filter(({ closed }) => closed).length >= 490);
    for (const socket of sockets) socket.destroy();
  }, 30_000);
});

test('the limit of an address is that of the clients, not of their proxy', async () => {
  await using server = await startTestServer({ settings: { proxyProtocol: [PROXY], maxConnections: 100, maxConnectionsPerAddress: 2 } });
  const opened: Duplex[] = [];
  const connect = async (client: string): Promise<Duplex> => {
    const wire = await open(server.port, { header: header(client) });
    opened.push(wire);
    wire.write('');
    await new Promise((resolve) => setTimeout(resolve, 50));
    return wire;
  };
  try {
    const [first, second, third] = [await connect('203.0.113.1'), await connect('203.0.113.1'), await connect('203.0.113.2')];
    expect([first.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, false]);
    await connect('203.0.113.1');
    await eventually(() => first.destroyed);
    expect([second.destroyed, third.destroyed]).toEqual([false, false]);
  } finally {
    for (const wire of opened) wire.destroy();
  }
});

describeWith([HAPROXY], 'behind HAProxy', () => {
  const folder = scratchDirectory();

  test('with send-proxy and send-proxy-v2, requests and its checks are served, and clients keep their addresses', async () => {
    const flags = [`--proxy-protocol=${PROXY}`, '--anonymous-auth-paths=/readyz', '--log-level=debug', '--logging-format=json'];
    const server = await startServerProcess({ flags });
    const settings = 'defaults\n mode tcp\n timeout connect 5s\n timeout check 5s\n timeout client 1h\n timeout server 1h\n';
    const ports = await freePorts(3);
    const listeners = ['send-proxy', 'send-proxy-v2', 'send-proxy-v2 proxy-v2-options ssl,unique-id,crc32c'].map((option, index) => {
      const port = ports[index] ?? 0;
      // a check that takes longer than inter has failed
      const checks = 'check check-ssl verify none inter 500ms fall 20';
      const config = [
        `listen ${index}`,
        `bind 127.0.0.1:${port}`,
        'option httpchk GET /readyz',
        `server one 127.0.0.1:${server.port} ${option} source ${PROXY} ${checks}\n`,
      ];
      return { port, client: `127.0.0.${10 + index}`, config: config.join('\n ') };
    });
    writeFileSync(path.join(folder, 'haproxy.cfg'), settings + listeners.map(({ config }) => config).join(''));
    const haproxy = spawn('haproxy', ['-db', '-f', path.join(folder, 'haproxy.cfg')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    haproxy.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    try {
      for (const { port, client } of listeners) {
        await eventually(async () => (await statusAt(port, client)) === 404);
        await eventually(() => server.output().includes(`"address":"${client}"`));
      }
      // Several checks of each.
      await new Promise((resolve) => setTimeout(resolve, 1600));
      expect([said, server.output()]).toEqual(['', expect.not.stringContaining('no PROXY header')]);
    } finally {
      haproxy.kill();
      await once(haproxy, 'exit');
      await server.stop();
    }
  }, 30_000);
});

/** Of a lease that does not exist; 0 without an answer. */
function statusAt(port: number, localAddress: string): Promise<number> {
  return new Promise((resolve) => {
    const target = { port, host: '127.0.0.1', path: LEASE, localAddress, rejectUnauthorized: false, agent: false };
    const sent = https.get({ ...target, headers: ADMIN }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', () => resolve(0));
  });
}
