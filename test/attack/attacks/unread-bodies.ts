import type { Attack } from '../attack-definition.js';
import { INNOCENT_NAMESPACE, leasesOf, requestFields } from '../identities.js';
import { END_HEADERS } from '../../support/http2-frames.js';

const CONNECTIONS = 16;
/** Size of each body: nearly the initial window of a stream. */
const BODY_BYTES = 60_000;
const FRAME_BYTES = 10_000;
const LENGTH = 1_000_000;

export const unreadBodies: Attack = {
  name: 'unread-bodies',
  about: 'POSTs with a wrong token and an unread 401, each followed by 60 kB of body: memory of useless bodies',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: 0 });
      const fields = requestFields('POST', leasesOf(INNOCENT_NAMESPACE), 'wrong-token', [['content-length', String(LENGTH)]]);
      const part = Buffer.alloc(FRAME_BYTES, 0x20);
      for (let count = 0; count < connection.maxStreams && !connection.isOver && !attacker.isOver; count++) {
        const stream = connection.nextStream();
        connection.write(connection.headers(stream, fields, END_HEADERS));
        for (let sent = 0; sent < BODY_BYTES; sent += FRAME_BYTES) await connection.data(stream, part);
      }
      await attacker.hold(connection);
      attacker.note('streams reset', connection.resets);
    }),
};
