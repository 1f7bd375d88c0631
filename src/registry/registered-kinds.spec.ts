import { describe, expect, it } from '@jest/globals';
import { kindRegistry } from '../apimachinery/codec/serializer/serializer.js';
import { leaseDefinition } from '../apis/coordination/lease/lease.resource.js';
import { registeredKinds } from './registered-kinds.js';

describe('registeredKinds', () => {
  const kinds = kindRegistry(registeredKinds([leaseDefinition]));

  it('contains the kinds of upstream that are not served here as well', () => {
    expect(kinds.isRegistered('', 'v1', 'Pod')).toBe(true);
    expect(kinds.isRegistered('', 'v1', 'Status')).toBe(true);
    expect(kinds.isRegistered('apps', 'v1', 'Deployment')).toBe(true);
    expect(kinds.isRegistered('coordination.k8s.io', 'v1', 'Lease')).toBe(true);
    expect(kinds.isRegistered('coordination.k8s.io', 'v1', 'Pod')).toBe(false);
  });
});
