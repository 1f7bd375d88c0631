import type { Attack } from '../attack-definition.js';
import { leaseText } from '../../load/lease-session.js';
import { ATTACKED_NAMESPACE, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';
import { END_HEADERS, END_STREAM, frame, Type } from '../../support/http2-frames.js';

const CONNECTIONS = 8;
const WRITES_PER_SECOND = 200;
const PATH = leasesOf(ATTACKED_NAMESPACE);
/** Writes are limited to a few leases, so that the store does not grow. */
const LEASES = 50;
const SMALL_WINDOW = 63;

export const queuedWrites: Attack = {
  name: 'queued-writes',
  about: 'a tenant PUTs leases on 8 connections, 200 a second each, with windows of 63 bytes for the responses: fills the write queue',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: SMALL_WINDOW });
      await attacker.atRate(WRITES_PER_SECOND, connection, async () => {
        const name = `lease-${attacker.random.below(LEASES)}`;
        const body = Buffer.from(leaseText(name));
        if (!(await connection.reserve(body.length))) return;
        const stream = connection.nextStream();
        const fields = requestFields('PUT', `${PATH}/${name}`, TENANT_TOKEN, [['content-type', 'application/json']]);
        connection.write(connection.headers(stream, fields, END_HEADERS), frame(Type.DATA, END_STREAM, stream, body));
      });
      attacker.note('answers begun', connection.answers);
      attacker.note('streams reset', connection.resets);
    }),
};
