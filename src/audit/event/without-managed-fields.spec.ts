import { withoutManagedFields } from './without-managed-fields.js';

const METADATA = { name: 'x', managedFields: [{}] };

test.each([
  [{ metadata: METADATA }, { metadata: { name: 'x' } }],
  [
    { metadata: {}, items: [{ metadata: METADATA }, {}] },
    { metadata: {}, items: [{ metadata: { name: 'x' } }, {}] },
  ],
  [{ rows: [{ cells: [1], object: { metadata: METADATA } }, {}] }, { rows: [{ cells: [1], object: { metadata: { name: 'x' } } }, {}] }],
  [{ spec: METADATA }, { spec: METADATA }],
])('removes only the managed fields of %j', (object, expected) => {
  expect(JSON.parse(withoutManagedFields(JSON.stringify(object)))).toEqual(expected);
});
