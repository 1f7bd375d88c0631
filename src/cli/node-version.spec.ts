import { expect, test } from '@jest/globals';
import { nodeTooOld } from './node-version.js';

test.each(['18.20.8', '20.20.2', '22.14.0'])('Node.js %s is too old, and the message names the required version', (version) => {
  expect(nodeTooOld(version)).toBe(`coordination-apiserver needs Node.js 22.15.0 or newer; this is ${version}`);
});

test.each(['22.15.0', '22.21.1', '23.0.0', '24.21.0', '100.0.0'])('Node.js %s is new enough', (version) => {
  expect(nodeTooOld(version)).toBeUndefined();
});
