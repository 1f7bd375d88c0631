import { expect, test } from '@jest/globals';
import { flappingMeaning } from './flapping-meaning.js';

test.each([
  ['served', false, 0, 'by the terms that the server has recorded and by what this page has seen.'],
  ['served', false, 9800, 'by the recorded terms of the 200 leases acquired last and by what this page has seen.'],
  ['served', true, 0, 'this page has seen since it was opened: you may not read terms.'],
  ['refused', false, 0, 'this page has seen since it was opened: you may not read terms.'],
  ['absent', false, 0, 'this page has seen since it was opened: this server does not serve the history of terms.'],
  ['unknown', false, 0, 'this page has seen since it was opened.'],
] as const)('where terms are %s, refused: %s, with %s leases left out', (service, refused, leftOut, expected) => {
  expect(flappingMeaning({ service }, { refused, leftOut })).toContain(expected);
});
