import { describe, expect, it } from '@jest/globals';
import { contentOf, sameContent } from './lease-copier.js';

const metadata = { namespace: 'n', name: 'a', labels: { x: '1', y: '2' }, ownerReferences: [{ kind: 'Node', name: 'a', uid: 'u' }] };
const spec = { holderIdentity: 'me', leaseDurationSeconds: 15 };

describe('the content of a lease', () => {
  it('is all but what a server assigns', () => {
    const lease = { metadata: { ...metadata, uid: 'u', resourceVersion: '7', creationTimestamp: 't', managedFields: [] }, spec };
    expect(contentOf(lease)).toEqual({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
  });

  it('is the same in any order of keys', () => {
    const other = { metadata: { ...metadata, labels: { y: '2', x: '1' } }, spec: { leaseDurationSeconds: 15, holderIdentity: 'me' } };
    expect(sameContent({ metadata, spec }, other)).toBe(true);
    expect(sameContent({ metadata, spec }, { metadata, spec: { ...spec, holderIdentity: 'you' } })).toBe(false);
  });
});
