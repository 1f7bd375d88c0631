import type { Attack } from '../attack-definition.js';
import { ATTACKED_NAMESPACE, IDLER_TOKENS, leasesOf, TENANT_TOKEN } from '../identities.js';
import type { RawHttp1 } from '../wire/raw-http1.js';

const CONNECTIONS = 20;
const PIPELINED = 1000;
const SLOW_CONNECTIONS = 300;
const BYTE_MS = 2000;

export const unreadPipeline: Attack = {
  name: 'unread-pipeline',
  about: '20 HTTP/1.1 connections with 1,000 pipelined lists each, all unread: waiting responses and requests',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http1({ reads: false });
      const credentials = [['Authorization', `Bearer ${TENANT_TOKEN}`]] as const;
      for (let count = 0; count < PIPELINED; count++) connection.request('GET', leasesOf(ATTACKED_NAMESPACE), credentials);
      await attacker.hold(connection);
    }),
};

export const slowHeaders: Attack = {
  name: 'slow-headers',
  about: '300 HTTP/1.1 connections that send one byte of their headers every 2 s: connections that never become requests',
  run: async (attacker) => {
    const connections = new Set<RawHttp1>();
    const opening = attacker.lanes(SLOW_CONNECTIONS / 10, async () => {
      for (let count = 0; count < 10; count++) {
        const connection = await attacker.http1();
        connections.add(connection);
        connection.write(`GET /apis HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${IDLER_TOKENS[0]}\r\nX-Slow: `);
      }
      while (!attacker.isOver) await attacker.pause(BYTE_MS);
    });
    while (!attacker.isOver) {
      for (const connection of connections) connection.write('x');
      await attacker.pause(BYTE_MS);
    }
    await opening;
    attacker.note('ended by the server', [...connections].filter(({ isOver }) => isOver).length);
  },
};
