import { expect, test } from '@jest/globals';
import { loadConfig } from './load-config.js';
import { termUseOf } from './settings.module.js';

const watched = (flags: Record<string, string>) => termUseOf(loadConfig({ flags, environment: {} })).watched;
const UNSERVED = { 'runtime-config': 'history.coordination-apiserver.dev/v1=false' };

const CASES: [flags: Record<string, string>, expected: boolean][] = [
  [{}, true],
  [UNSERVED, false],
  [{ ...UNSERVED, 'lease-expiry-events': 'true' }, true],
  [{ ...UNSERVED, 'lease-expiry-webhook-config-file': 'webhook.yaml' }, true],
  [{ 'term-history': '0s' }, false],
];
test.each(CASES)('%j: terms are watched: %s', (flags, expected) => {
  expect(watched(flags)).toBe(expected);
});

test.each([
  ['lease-expiry-events', 'true'],
  ['lease-expiry-webhook-config-file', 'webhook.yaml'],
])('--%s=%s without terms is refused, as nothing would be announced', (flag, value) => {
  expect(() => watched({ [flag]: value, 'term-history': '0s' })).toThrow('--term-history must not be 0');
});
