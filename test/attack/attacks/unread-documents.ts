import type { Attack } from '../attack-definition.js';
import { hoard } from './hoard.js';
import { largeDocument } from './large-document.js';

const CONNECTIONS = 9;

export const unreadDocuments: Attack = {
  name: 'unread-documents',
  about: 'anonymous GETs of a large public document on 9 connections that never open a window: one copy of the document each',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: 0 });
      await hoard(attacker, connection, largeDocument(attacker));
    }),
};
