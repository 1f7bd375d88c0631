import type { Attack } from '../attack-definition.js';
import { ATTACKED_NAMESPACE, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';

const CONNECTIONS = 5;
const HTTP1_CONNECTIONS = 50;
const WATCH = `${leasesOf(ATTACKED_NAMESPACE)}?watch=1`;

export const vanishedWatches: Attack = {
  name: 'vanished-watches',
  about: '550 watches over both protocols whose clients silently stop reading and answering: how long they count as open',
  run: async (attacker) => {
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const connection = await attacker.http2({ polite: false });
        const fields = requestFields('GET', WATCH, TENANT_TOKEN);
        connection.write(...Array.from({ length: 100 }, () => connection.headers(connection.nextStream(), fields)));
        await connection.answered(100, 3000);
        connection.vanish();
        return connection;
      }),
    );
    for (let count = 0; count < HTTP1_CONNECTIONS; count++) {
      const connection = await attacker.http1({ reads: false });
      connection.request('GET', WATCH, [['Authorization', `Bearer ${TENANT_TOKEN}`]]);
    }
    while (!attacker.isOver) await attacker.pause(1000);
    attacker.note('connections ended by the server', connections.filter(({ socket }) => socket.destroyed).length);
  },
};
