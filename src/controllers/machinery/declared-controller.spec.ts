import { CONTROLLERS, isControllerEnabled } from './declared-controller.js';

test.each<[string[], string[]]>([
  [['*'], [...CONTROLLERS]],
  [['*', '-garbage-collector'], CONTROLLERS.filter((name) => name !== 'garbage-collector')],
  [['garbage-collector'], ['garbage-collector']],
  [['-garbage-collector'], []],
  [[], []],
])('--controllers=%s', (selection, enabled) => {
  expect(CONTROLLERS.filter((name) => isControllerEnabled(selection, name))).toEqual(enabled);
});
