import { sourceIps } from './source-ips.js';

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
