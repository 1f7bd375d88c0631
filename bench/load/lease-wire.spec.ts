import { leaseJson } from './lease-json.js';
import { leaseProtobuf } from './lease-protobuf.js';

const json = (text: string) => Buffer.from(text);

describe('leaseJson', () => {
  it('omits the version of a lease to be created', () => {
    expect(leaseJson.encode('a', '')).not.toContain('resourceVersion');
    expect(leaseJson.encode('a', '17')).toContain('"metadata":{"name":"a","resourceVersion":"17"}');
  });

  it('finds the first version in a response', () => {
    expect(leaseJson.versionOf(json('{"metadata":{"resourceVersion":"41"},"items":[{"resourceVersion":"7"}]}'))).toBe('41');
    expect(leaseJson.versionOf(json('{"status":"Failure"}'))).toBe('');
  });
});

describe('leaseProtobuf', () => {
  it('finds the version that it has written', () => {
    expect(leaseProtobuf.versionOf(Buffer.from(leaseProtobuf.encode('node-000001', '1234567')))).toBe('1234567');
    expect(leaseProtobuf.versionOf(Buffer.from(leaseProtobuf.encode('node-000001', '')))).toBe('');
  });

  it('begins like every protobuf body of Kubernetes', () => {
    expect(Buffer.from(leaseProtobuf.encode('a', '')).subarray(0, 4).toString('latin1')).toBe('k8s\0');
  });
});
