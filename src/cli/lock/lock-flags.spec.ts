import { expect, test } from '@jest/globals';
import { helpText } from '../../../packages/lease-lock/src/cli/help-text.js';
import { LOCK_FLAGS } from './lock-flags.js';

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([name]) => name))].sort();

test('the flags that are completed are those of the help of lock', () => {
  const help = helpText({ name: 'coordination-apiserver' }, 200);
  expect(namesIn(`${LOCK_FLAGS.join(' ')} --help`)).toEqual(namesIn(`${help} --help`));
});
