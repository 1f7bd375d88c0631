import type { Attack } from '../attack-definition.js';
import { ATTACKED_NAMESPACE, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';
import { windowUpdate } from '../../support/http2-frames.js';

const CONNECTIONS = 4;
const STREAMS = 25;
const STEP_BYTES = 64;
const STEPS_PER_SECOND = 500;
const PATH = leasesOf(ATTACKED_NAMESPACE);

export const smallWindows: Attack = {
  name: 'small-windows',
  about: 'lists that are read in steps of 64 bytes, 500 steps a second on each of 4 connections: a frame and a write for each step',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: 0 });
      const streams = Array.from({ length: STREAMS }, () => connection.nextStream());
      connection.write(...streams.map((stream) => connection.headers(stream, requestFields('GET', PATH, TENANT_TOKEN))));
      await attacker.atRate(STEPS_PER_SECOND, connection, (index) =>
        connection.write(windowUpdate(streams[index % STREAMS] ?? 1, STEP_BYTES)),
      );
      if (connection.goaway !== undefined) attacker.note(`connections ended with code ${connection.goaway}`, 1);
    }),
};
