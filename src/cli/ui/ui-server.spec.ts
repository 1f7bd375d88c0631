import { describe, expect, test } from '@jest/globals';
import { apiRefusal, hostRefusal } from './ui-server.js';

const gate = { port: 6480, key: 'the-key' };
const LEASES = '/apis/coordination.k8s.io/v1/leases';
const good = { host: '127.0.0.1:6480', 'coordination-ui-key': 'the-key', 'sec-fetch-site': 'same-origin' };

test('the address that was printed is served', () => {
  expect(hostRefusal({ method: 'GET', path: '/ui/', headers: { host: '127.0.0.1:6480' } }, gate)).toBeUndefined();
});

test.each([
  'evil.example',
  'evil.example:6480',
  '127.0.0.1',
  '127.0.0.1:80',
  '127.0.0.1:6480.evil.example',
  'localhost:6480',
  'LOCALHOST:6480',
  'localhost.:6480',
  '[::1]:6480',
  undefined,
])('the host %s is refused, as it may come from DNS rebinding, or be shared with a program at [::1]', (host) => {
  expect(hostRefusal({ method: 'GET', path: '/ui/', headers: { host } }, gate)).toMatchObject({ status: 403 });
});

describe('the API', () => {
  test.each([
    ['GET', LEASES],
    ['GET', '/apis/coordination.k8s.io'],
    ['GET', '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates'],
    ['GET', '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms'],
    ['GET', '/api/v1/namespaces'],
    ['GET', '/api/v1/namespaces/default/events'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
    ['PATCH', '/apis/coordination.k8s.io/v1/namespaces/default/leases/a'],
  ])('is open to the page for %s %s', (method, path) => {
    expect(apiRefusal({ method, path, headers: good }, gate)).toBeUndefined();
    expect(apiRefusal({ method, path, headers: { ...good, origin: 'http://127.0.0.1:6480' } }, gate)).toBeUndefined();
  });

  test.each([
    ['without the key', { ...good, 'coordination-ui-key': undefined }],
    [
      'with the key in a cookie, which browsers send to every port',
      { ...good, 'coordination-ui-key': undefined, cookie: 'coordination-ui-6480=the-key' },
    ],
    ['with another key', { ...good, 'coordination-ui-key': 'another-key' }],
    ['from another origin', { ...good, origin: 'https://evil.example' }],
    ['from another port of this computer', { ...good, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['from a page without an origin', { ...good, origin: 'null' }],
    ['from another site according to the browser', { ...good, 'sec-fetch-site': 'cross-site' }],
    ['from an address typed into the browser', { ...good, 'sec-fetch-site': 'none' }],
  ])('is closed to requests %s', (_, headers) => {
    expect(apiRefusal({ method: 'GET', path: LEASES, headers }, gate)).toMatchObject({ status: 403 });
  });

  test.each([
    ['DELETE', '/apis/coordination.k8s.io/v1/namespaces/default/leases/a'],
    ['POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases'],
    ['POST', '/api/v1/namespaces/kube-system/serviceaccounts/admin/token'],
    ['PATCH', '/api/v1/namespaces/default/leases/a'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/a'],
    ['CONNECT', LEASES],
    ['GET', '/swagger'],
    ['GET', '/api/v1/secrets'],
    ['GET', '/api/v1/namespaces/default/secrets/a'],
    ['GET', '/api/v1/namespaces/default/services/a/proxy/'],
    ['GET', '/apis/apps/v1/deployments'],
    ['GET', '/apis/coordination.k8s.io/..%2F..%2Fapi/v1/secrets'],
    ['GET', '/api/v1/namespaces/a%2fsecrets/events'],
    ['PATCH', '/apis/coordination.k8s.io/v1/namespaces/default/leases/..%5C..%2fx'],
    ['GET', '/apisx'],
  ])('refuses %s %s to the page', (method, path) => {
    expect(apiRefusal({ method, path, headers: good }, gate)).toMatchObject({ status: 403 });
  });
});
