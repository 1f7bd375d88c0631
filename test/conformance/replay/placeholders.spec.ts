import { expect, test } from '@jest/globals';
import { Placeholders } from './placeholders.js';

test('a version in a text is replaced, the number of an RFC and a year are not', () => {
  const placeholders = new Placeholders({});
  for (const resourceVersion of ['1123', '2026']) placeholders.clean({ metadata: { resourceVersion } });

  expect(placeholders.clean('an RFC 1123 name at 1123, in 2026-11-27')).toBe('an RFC 1123 name at <rv-1>, in 2026-11-27');
  expect(placeholders.clean('/leases?resourceVersion=2026')).toBe('/leases?resourceVersion=<rv-2>');
});
