import type { Attack } from '../attack-definition.js';
import { requestFields } from '../identities.js';

const CONNECTIONS = 4;
const PER_SECOND = 250;

export const readyzFlood: Attack = {
  name: 'readyz-flood',
  about: 'anonymous GETs of /readyz, 1,000 a second, exempt from flow control: the cost of health checks',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2();
      const fields = requestFields('GET', '/readyz');
      await attacker.atRate(PER_SECOND, connection, () => connection.write(connection.headers(connection.nextStream(), fields)));
      attacker.note('answers', connection.answers);
    }),
};
