import { forAllTests } from '../../support/for-tests.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { scrape, scrapeUntil } from '../../support/scrape.js';
import { startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const PLACE = 'group="coordination.k8s.io",version="v1",resource="leases",subresource=""';

const server = forAllTests(() => startTestServer());

const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: {} });

function total(verb: string, scope: string, code: number, dryRun = ''): string {
  return `apiserver_request_total{verb="${verb}",dry_run="${dryRun}",${PLACE},scope="${scope}",component="apiserver",code="${code}"}`;
}

test('requests are counted by verb, scope and code as in kube-apiserver', async () => {
  const client = new Http2Client(server.url);
  await client.ask(LEASES, { method: 'POST', body: lease('one') });
  await client.ask(LEASES, { method: 'POST', body: lease('one') });
  await client.ask(`${LEASES}/one`);
  await client.ask(`${LEASES}/two`);
  await client.ask(LEASES);
  await client.ask('/apis/coordination.k8s.io/v1/leases');
  const apply = { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' }, body: JSON.stringify(lease('one')) };
  await client.ask(`${LEASES}/one?fieldManager=x&dryRun=All`, apply);
  await client.ask(LEASES, { method: 'DELETE' });
  client.close();
  for (const line of [
    `${total('POST', 'resource', 201)} 1`,
    `${total('POST', 'resource', 409)} 1`,
    `${total('GET', 'resource', 200)} 1`,
    `${total('GET', 'resource', 404)} 1`,
    `${total('LIST', 'namespace', 200)} 1`,
    `${total('LIST', 'cluster', 200)} 1`,
    `${total('APPLY', 'resource', 200, 'All')} 1`,
    `${total('DELETE', 'namespace', 200)} 1`,
    `apiserver_request_duration_seconds_count{verb="POST",dry_run="",${PLACE},scope="resource",component="apiserver"} 2`,
    `apiserver_request_sli_duration_seconds_count{verb="POST",${PLACE},scope="resource",component="apiserver"} 2`,
    `apiserver_response_sizes_count{verb="GET",${PLACE},scope="resource",component="apiserver"} 2`,
  ]) {
    await scrapeUntil(server.url, line);
  }
  expect((await scrape(server.url, 'apiserver_request_sli')).join()).not.toContain('verb="APPLY"');
});

test('deprecated versions and flow schemas are shown under the names of kube-apiserver', async () => {
  await ask(`${server.url}/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates`);
  const flow = 'priority_level="exempt",flow_schema="exempt"';
  for (const line of [
    'apiserver_requested_deprecated_apis{group="coordination.k8s.io",version="v1beta1",resource="leasecandidates",subresource="",removed_release="1.39"} 1',
    'apiserver_tls_handshake_errors_total 0',
    `apiserver_flowcontrol_current_inqueue_requests{${flow}} 0`,
    `apiserver_flowcontrol_current_executing_seats{${flow}} 0`,
  ]) {
    await scrapeUntil(server.url, line);
  }
  expect((await scrape(server.url, 'apiserver_flowcontrol_dispatched_requests_total')).join()).toContain(flow);
});

test('requests refused before their handler are counted only by authentication and authorization metrics', async () => {
  await using strict = await startTestServer({ authorizer: { authorize: ({ name }) => ({ allowed: name === 'admin' }) } });
  await ask(`${strict.url}${LEASES}`, { headers: { authorization: 'Bearer wrong' } });
  await ask(`${strict.url}${LEASES}`, { headers: { authorization: 'Bearer bob-token' } });
  await ask(`${strict.url}/apis/coordination.k8s.io/v1/nothing`);
  await scrapeUntil(strict.url, 'authentication_attempts{result="error"} 1');
  await scrapeUntil(strict.url, 'authorization_attempts_total{result="no-opinion"} 1');
  expect((await scrape(strict.url, 'authenticated_user_requests')).length).toBe(2);
  expect(await scrape(strict.url, 'apiserver_request_total')).toEqual([]);
});

test('an open watch counts as a long-running request, and its events are counted', async () => {
  const line = `apiserver_longrunning_requests{verb="WATCH",${PLACE},scope="namespace",component="apiserver"}`;
  const watch = new WatchClient(`${server.url}${LEASES}?watch=1`);
  await watch.response;
  await scrapeUntil(server.url, `${line} 1`);
  await ask(`${server.url}${LEASES}`, { method: 'POST', body: lease('watched') });
  await watch.count(1);
  await scrapeUntil(server.url, 'apiserver_watch_events_total{group="coordination.k8s.io",version="v1",resource="leases"} 1');
  watch.abort();
  await scrapeUntil(server.url, `${line} 0`);
  await scrapeUntil(server.url, `${total('WATCH', 'namespace', 200)} 1`);
  expect((await scrape(server.url, 'apiserver_current_inflight_requests')).length).toBe(2);
});

test('health checks are reported at /metrics/slis', async () => {
  await ask(`${server.url}/readyz`);
  const { text, headers } = await ask(`${server.url}/metrics/slis`);
  expect(text).toContain('kubernetes_healthcheck{name="ping",type="readyz"} 1\n');
  expect(text).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 1\n');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores');
});
