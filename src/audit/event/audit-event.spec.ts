import { type AuditEvent, describeEvent, encodeEvent, encodeEventList, sourceIps, withoutManagedFields } from './audit-event.js';

const EVENT: AuditEvent = {
  level: 'RequestResponse',
  auditID: 'id',
  stage: 'ResponseComplete',
  requestURI: '/api?x="1"',
  verb: 'get',
  user: { username: 'ann', groups: ['a', 'b'] },
  impersonatedUser: { username: 'zoe' },
  sourceIPs: ['10.0.0.1', '127.0.0.1'],
  userAgent: 'agent/1',
  objectRef: { resource: 'leases', namespace: 'ns' },
  responseStatus: { code: 200 },
  requestObject: '{"a":1}',
  responseObject: '{"b":2}',
  requestReceivedTimestamp: Date.UTC(2030, 0, 1, 0, 0, 0, 120),
  stageTimestamp: Date.UTC(2030, 0, 1, 0, 0, 1),
  annotations: { k: 'v' },
};

describe('an audit event', () => {
  it('is encoded as one line of JSON', () => {
    expect(encodeEvent(EVENT)).toBe(
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete",' +
        '"requestURI":"/api?x=\\"1\\"","verb":"get","user":{"username":"ann","groups":["a","b"]},"impersonatedUser":{"username":"zoe"},' +
        '"sourceIPs":["10.0.0.1","127.0.0.1"],"userAgent":"agent/1","objectRef":{"resource":"leases","namespace":"ns"},' +
        '"responseStatus":{"metadata":{},"code":200},"requestObject":{"a":1},"responseObject":{"b":2},' +
        '"requestReceivedTimestamp":"2030-01-01T00:00:00.120000Z","stageTimestamp":"2030-01-01T00:00:01.000000Z","annotations":{"k":"v"}}',
    );
  });

  it('is formatted as a line of text in the legacy format', () => {
    expect(describeEvent(EVENT)).toBe(
      '2030-01-01T00:00:00.12Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="get" user="ann" groups="\\"a\\",\\"b\\"" ' +
        'as="zoe" asgroups="<lookup>" user-agent="agent/1" namespace="ns" uri="/api?x=\\"1\\"" response="200"',
    );
    const { responseStatus: _status, impersonatedUser: _user, ...received } = { ...EVENT, user: {}, objectRef: undefined };
    expect(describeEvent(received)).toContain('user="<none>" groups="<none>" as="<self>" asgroups="<lookup>"');
    expect(describeEvent(received)).toContain('namespace="<none>" uri="/api?x=\\"1\\"" response="<deferred>"');
  });

  it('is encoded in lists', () => {
    expect(JSON.parse(encodeEventList([EVENT, EVENT]))).toMatchObject({ kind: 'EventList', items: [{ auditID: 'id' }, { auditID: 'id' }] });
  });
});

test.each([
  [{}, '127.0.0.1', ['127.0.0.1']],
  [{}, '::ffff:10.1.2.3', ['10.1.2.3']],
  [{ 'x-forwarded-for': '10.0.0.1, nonsense, 10.0.0.2' }, '::1', ['10.0.0.1', '10.0.0.2', '::1']],
  [{ 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1' }, '10.0.0.1', ['10.0.0.1']],
  [{ 'x-real-ip': '10.0.0.3' }, '10.0.0.4', ['10.0.0.3', '10.0.0.4']],
  [{}, undefined, []],
])('a request with %j from %s comes from %j', (headers, remote, expected) => {
  expect(sourceIps(headers, remote)).toEqual(expected);
});

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
