import { leaseText } from '../../load/lease-session.js';
import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { ATTACKED_NAMESPACE, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';
import { END_HEADERS, END_STREAM, frame, Type } from '../../support/http2-frames.js';

const PATH = leasesOf(ATTACKED_NAMESPACE);
const WATCH = `${PATH}?watch=1`;
const CONNECTIONS = 4;
const WEB_SOCKETS = 100;
const EVENTS_PER_SECOND = 20;
const LEASES = 50;

/** Changes leases so that watches have events to send. */
async function change(attacker: Attacker): Promise<void> {
  await attacker.lanes(1, async () => {
    const connection = await attacker.http2();
    await attacker.atRate(EVENTS_PER_SECOND, connection, () => {
      const name = `lease-${attacker.random.below(LEASES)}`;
      const stream = connection.nextStream();
      const fields = requestFields('PUT', `${PATH}/${name}`, TENANT_TOKEN, [['content-type', 'application/json']]);
      connection.write(connection.headers(stream, fields, END_HEADERS));
      connection.write(frame(Type.DATA, END_STREAM, stream, Buffer.from(leaseText(name))));
    });
  });
}

export const unreadWatches: Attack = {
  name: 'unread-watches',
  about: '400 watches with a window of zero, of leases that change 20 times a second: memory of unsent events',
  run: (attacker) =>
    Promise.all([
      change(attacker),
      attacker.lanes(CONNECTIONS, async () => {
        const connection = await attacker.http2({ initialWindow: 0 });
        const fields = requestFields('GET', WATCH, TENANT_TOKEN);
        connection.write(...Array.from({ length: 100 }, () => connection.headers(connection.nextStream(), fields)));
        await attacker.hold(connection);
        attacker.note('watches ended by the server', connection.resets);
      }),
    ]).then(() => undefined),
};

const UPGRADE = [
  ['Authorization', `Bearer ${TENANT_TOKEN}`],
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
] as const;

export const unreadWebSockets: Attack = {
  name: 'unread-web-sockets',
  about: '100 watches over unread WebSockets, of leases that change 20 times a second',
  run: (attacker) =>
    Promise.all([
      change(attacker),
      attacker.lanes(WEB_SOCKETS, async () => {
        const connection = await attacker.http1({ reads: false });
        connection.request('GET', WATCH, UPGRADE);
        await attacker.hold(connection);
      }),
    ]).then(() => undefined),
};

export const gzipLists: Attack = {
  name: 'gzip-lists',
  about: 'a tenant asks for compressed lists, 10 a second on each of 4 connections, in windows of 1 kB: work and memory of compression',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: 1024 });
      const fields = requestFields('GET', PATH, TENANT_TOKEN, [['accept-encoding', 'gzip']]);
      await attacker.atRate(10, connection, () => connection.write(connection.headers(connection.nextStream(), fields)));
      attacker.note('answers begun', connection.answers);
    }),
};
