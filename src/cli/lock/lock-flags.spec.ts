import { expect, test } from '@jest/globals';
import { helpText } from '../../../packages/lease-lock/src/cli/help-text.js';
import { ELECT_FLAGS, LOCK_FLAGS } from './lock-flags.js';

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([name]) => name))].sort();

test('the flags that are completed are those of the help', () => {
  const help = helpText({ name: 'coordination-apiserver' }, 200);
  expect(namesIn(`${[...LOCK_FLAGS, ...ELECT_FLAGS].join(' ')} --help`)).toEqual(namesIn(`${help} --help`));
});
