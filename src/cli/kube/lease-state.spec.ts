import type { KubeObject } from '../../kube/kube-object.js';
import { leaseState, remaining } from './lease-state.js';

const NOW = Date.parse('2030-01-01T00:00:10Z');
const written = [{ manager: 'kubectl', time: '2030-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:holderIdentity': {} } } }];
const lease = (spec: object) =>
  leaseState({ metadata: { namespace: 'n', name: 'a', resourceVersion: '7', managedFields: written }, spec } as KubeObject, NOW);
const renewTime = '2030-01-01T00:00:00.000000Z';

test.each([
  [{ holderIdentity: 'me', leaseDurationSeconds: 15, renewTime }, 'HELD', '5s'],
  [{ holderIdentity: 'me', leaseDurationSeconds: 7, renewTime }, 'EXPIRED', '3s ago'],
  [{ holderIdentity: 'me', leaseDurationSeconds: 10, renewTime }, 'EXPIRED', '0s ago'],
  [{ holderIdentity: 'me' }, 'HELD', ''],
  // Never renewed: it counts from its last write.
  [{ holderIdentity: 'me', leaseDurationSeconds: 15 }, 'HELD', '5s'],
  [{ holderIdentity: 'me', leaseDurationSeconds: 7 }, 'EXPIRED', '3s ago'],
  [{ holderIdentity: '', leaseDurationSeconds: 1, renewTime }, 'FREE', ''],
  [{}, 'FREE', ''],
])('%j is %s', (spec, state, left) => {
  expect([lease(spec).state, remaining(lease(spec)), lease(spec).revision]).toEqual([state, left, '7']);
});
