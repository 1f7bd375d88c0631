import type { Attack } from '../attack-definition.js';
import { requestFields } from '../identities.js';

const PER_SECOND = 500;
const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf', '__defineGetter__'] as const;

export const prototypeNames: Attack = {
  name: 'prototype-names',
  about: 'anonymous requests whose method, query and headers are names of Object.prototype, 500 a second: error stacks in the log',
  run: (attacker) =>
    attacker.lanes(1, async () => {
      const connection = await attacker.http2();
      await attacker.atRate(PER_SECOND, connection, (index) => {
        const name = NAMES[index % NAMES.length] ?? 'constructor';
        const fields =
          index % 2 === 0
            ? requestFields(name, '/apis')
            : requestFields('GET', `/apis?${name}=${name}`, undefined, [
                ['accept', `${name}/${name}`],
                [name.toLowerCase(), name],
              ]);
        connection.write(connection.headers(connection.nextStream(), fields));
      });
    }),
};
