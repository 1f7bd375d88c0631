import { expect, test } from '@jest/globals';
import type { ApiRequest } from '../../../endpoints/request/api-request.js';
import { RefusedRequests } from '../../../endpoints/refusals/refused-requests.js';
import type { StoreServices } from '../../../registry/store-of.js';
import { createServerMetrics } from '../../../telemetry/metrics/metric-registry.js';
import { UnledLeases } from './unled-leases.js';

test('without the store the figure is missing, and all other metrics are served', async () => {
  const metrics = createServerMetrics();
  const refused = new RefusedRequests(Date.now, metrics);
  refused.keep({ group: 'coordination.k8s.io', resource: 'leases' }, () => 'WrongTime');
  const info = {
    isResourceRequest: true,
    apiGroup: 'coordination.k8s.io',
    apiVersion: 'v1',
    resource: 'leases',
    subresource: '',
    verb: 'update',
  };
  const request = { info: { ...info, namespace: 'default', name: 'a' }, isAuthenticated: false, userAgent: '', nameInBody: '' };
  refused.add(request as unknown as ApiRequest, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 400 });
  const noStore = { now: Date.now, objects: { get: () => Promise.reject(new Error('no store')) } } as unknown as StoreServices;
  new UnledLeases(noStore, refused, metrics);
  const text = await metrics.main.text();
  expect(text).toMatch(/^coordination_refusals_held_bytes \d+$/m);
  expect(text).not.toMatch(/^coordination_leases_refused_and_not_held/m);
});
