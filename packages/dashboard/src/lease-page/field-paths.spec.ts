import { expect, test } from '@jest/globals';
import { fieldPaths } from './field-paths.js';
import { withoutManagedFields } from './without-managed-fields.js';

test('fields are the leaves', () => {
  const fields = { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } }, 'f:spec': { 'f:renewTime': {} } };
  expect(fieldPaths(fields)).toEqual(['metadata.labels.app', 'spec.renewTime']);
  expect(fieldPaths(undefined)).toEqual([]);
});

test('fields without an end are cut off', () => {
  let deep: object = {};
  for (let level = 0; level < 10_000; level++) deep = { 'f:a': deep };
  expect(fieldPaths(deep)).toHaveLength(1);
  expect(fieldPaths(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f:${at}`, {}])))).toHaveLength(200);
});

test('YAML without managedFields', () => {
  const yaml = 'metadata:\n  labels:\n    a: b\n  managedFields:\n  - manager: x\n    fieldsV1:\n      f:spec: {}\n  name: n\nspec: {}\n';
  expect(withoutManagedFields(yaml)).toBe('metadata:\n  labels:\n    a: b\n  name: n\nspec: {}\n');
  expect(withoutManagedFields('metadata:\n  managedFields:\n  - manager: x\nspec: {}\n')).toBe('metadata:\nspec: {}\n');
});
