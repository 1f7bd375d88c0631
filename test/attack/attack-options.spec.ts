import { ALL_ATTACKS } from './all-attacks.js';
import { attackOptions } from './attack-options.js';

test('all attacks run by default, one at a time and with a p99 limit of 100 ms', () => {
  const options = attackOptions([]);
  expect(options.attacks).toBe(ALL_ATTACKS);
  expect(options).toMatchObject({ seconds: 60, together: 1, memoryMiB: 512, maxP99Ms: 100, election: true, fresh: false });
});

test('attacks are selected by name, and unknown names are refused', () => {
  expect(attackOptions(['--only=ping-flood,rapid-reset']).attacks.map(({ name }) => name)).toEqual(['ping-flood', 'rapid-reset']);
  expect(() => attackOptions(['--only=no-such-attack'])).toThrow('no attack is called no-such-attack');
});

test('several attacks at a time have no latency limit unless one is given', () => {
  expect(attackOptions(['--together=3']).maxP99Ms).toBe(0);
  expect(attackOptions(['--together=3', '--max-p99=500']).maxP99Ms).toBe(500);
});

test('only servers on this machine can be attacked', () => {
  expect(attackOptions(['--target=https://127.0.0.1:6443']).target).toBe('https://127.0.0.1:6443');
  expect(() => attackOptions(['--target=https://192.0.2.1:6443'])).toThrow('not https on 127.0.0.1');
});

test('numbers must be whole', () => {
  expect(() => attackOptions(['--seconds=soon'])).toThrow('--seconds: soon is not a whole number');
});

test('names of attacks are unique', () => {
  expect(new Set(ALL_ATTACKS.map(({ name }) => name)).size).toBe(ALL_ATTACKS.length);
});
