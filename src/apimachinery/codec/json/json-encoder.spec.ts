import { leaseV1Schema } from '../../../apis/coordination/lease/lease.schema.js';
import { compileEncoder, spliceResourceVersion, storedListItem } from './json-encoder.js';

const encode = compileEncoder(leaseV1Schema);
const lease = (resourceVersion?: string) => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: { name: 'a', namespace: 'ns', uid: 'u-1', resourceVersion, labels: { uid: '"uid":"x"' } },
  spec: { holderIdentity: '"uid":"y"' },
});

describe('stored JSON', () => {
  it('gets its resourceVersion at the position where the encoder writes it', () => {
    expect(spliceResourceVersion(encode(lease()), 4711)).toBe(encode(lease('4711')));
  });

  it('omits kind and apiVersion in lists', () => {
    const { metadata, spec } = lease('1');
    expect(storedListItem(encode(lease()), 1)).toBe(encode({ metadata, spec }));
  });

  it('has no resourceVersion if the object is not stored', () => {
    const { metadata, spec } = lease();
    expect(storedListItem(encode(lease()), 0)).toBe(encode({ metadata, spec }));
  });

  it('must have a uid', () => {
    expect(() => spliceResourceVersion('{"metadata":{}}', 1)).toThrow('no metadata.uid');
    expect(() => storedListItem('{"metadata":{}}', 1)).toThrow('no metadata.uid');
  });
});
