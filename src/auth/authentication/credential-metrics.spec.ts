import { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { CredentialMetrics } from './credential-metrics.js';

test('accepted certificates are counted by the time that they have left, and tokens by their kind', async () => {
  const registry = new MetricRegistry();
  const metrics = new CredentialMetrics(registry);
  metrics.certificate(5400_000);
  metrics.token();
  const text = await registry.text();
  for (const line of [
    'apiserver_client_certificate_expiration_seconds_bucket{le="3600"} 0',
    'apiserver_client_certificate_expiration_seconds_bucket{le="7200"} 1',
    'apiserver_client_certificate_expiration_seconds_bucket{le="3.1104e+07"} 1',
    'serviceaccount_valid_tokens_total 1',
    'serviceaccount_legacy_tokens_total 0',
    'serviceaccount_stale_tokens_total 0',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});
