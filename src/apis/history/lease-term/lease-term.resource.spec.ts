import { expect, it } from '@jest/globals';
import { leaseTermColumns } from './lease-term.resource.js';
import type { LeaseTerm } from './lease-term.schema.js';

it('the columns of a bookmark, which has only metadata, are empty', () => {
  const bookmark = { metadata: { resourceVersion: '7' } } as LeaseTerm;
  expect(new Set(leaseTermColumns.map((column) => column.cell(bookmark, 0)))).toEqual(new Set(['']));
});
