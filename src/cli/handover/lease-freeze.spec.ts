import { expect, test } from '@jest/globals';
import { statusRows } from './lease-freeze.js';

const instances = [{ instance: 'https://10.0.0.1:6443', servedBy: 'cluster' }] as const;
const route = { phase: '', available: true, message: '' };

test('without an APIService nothing is reported as unavailable: kube-apiserver serves leases itself', () => {
  expect(statusRows({ route: undefined, freeze: undefined, instances })).toEqual([
    ['APIService', 'none: kube-apiserver serves leases itself'],
    ['phase', '-'],
    ['available', '-'],
    ['freeze', '-'],
    ['https://10.0.0.1:6443', 'cluster'],
  ]);
});

test('without an APIService and leases no server is named', () => {
  const nobody = [{ instance: 'https://10.0.0.1:6443', servedBy: 'nobody' }] as const;
  expect(statusRows({ route: undefined, freeze: undefined, instances: nobody })[0]).toEqual(['APIService', 'none']);
});

test('an APIService is shown with where it leads and why it is not available', () => {
  const service = { namespace: 'leases', name: 'server', port: 443 };
  const [to, phase, available] = statusRows({ route: { ...route, service, phase: 'switched' }, freeze: undefined, instances });
  expect([to, phase, available]).toEqual([
    ['APIService', 'leases/server:443'],
    ['phase', 'switched'],
    ['available', 'yes'],
  ]);
  const refused = { ...route, available: false, message: 'no endpoints' };
  expect(statusRows({ route: refused, freeze: undefined, instances })).toContainEqual(['available', 'no: no endpoints']);
});
