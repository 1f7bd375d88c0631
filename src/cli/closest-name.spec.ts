import { closestName } from './closest-name.js';

const commands = ['serve', 'leases', 'backup', 'restore', 'ui'];

test.each([
  ['backp', 'backup'],
  ['servee', 'serve'],
  ['resotre', 'restore'],
  ['lease', 'leases'],
  ['u', undefined],
  ['frobnicate', undefined],
])('%s probably means %s', (word, meant) => expect(closestName(word, commands)).toBe(meant));
