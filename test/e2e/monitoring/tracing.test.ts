import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startAnswering } from '../../support/answering-server.js';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { failureOf } from '../cli/run-command.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number } }[];
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

const scratch = scratchDirectory();
const spans: SentSpan[] = [];

/** An OTLP/HTTP collector that stores the spans it receives. */
const collector = forAllTests(() =>
  startAnswering((body, _, response) => {
    const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
    spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.setHeader('content-type', 'application/json').end('{}');
  }),
);
const server = forAllTests(() => {
  const file = path.join(scratch, 'tracing.yaml');
  writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: 127.0.0.1:${collector.port}\n`);
  return startServerProcess({ flags: [`--tracing-config-file=${file}`] });
});

test("a client's trace continues through request, batch and statement; untraced requests are not recorded", async () => {
  const headers = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`, 'audit-id': 'traced' };
  const created = await ask(`${server.url}${LEASES}`, { method: 'POST', headers, body: { metadata: { name: 'traced' }, spec: {} } });
  expect(created.status).toBe(201);
  await ask(`${server.url}${LEASES}/traced`);
  await server.stop();

  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const named = (name: string): SentSpan | undefined => spans.find((span) => span.name === name);
  const [request, batch] = [named('create leases'), named('commit batch')];
  const statement = spans.find(({ name, parentSpanId }) => name.startsWith('SQL') && parentSpanId === batch?.spanId);
  expect(request?.parentSpanId).toBe(CLIENT_SPAN);
  expect(batch?.parentSpanId).toBe(request?.spanId);
  expect(statement?.attributes.map(({ key }) => key)).toEqual(['db.system.name', 'db.query.text']);
  const values = Object.fromEntries((request?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
  expect(values).toMatchObject({ 'http.response.status_code': 201, 'audit-id': 'traced', 'url.path': LEASES });
});

test('an invalid configuration is refused in one line', async () => {
  const file = path.join(scratch, 'wrong.yaml');
  writeFileSync(file, 'kind: Lease');
  const flags = ['--tracing-config-file', file, '--data-dir', path.join(scratch, 'data')];
  expect(await failureOf(flags)).toMatch(/^error: --tracing-config-file must be a TracingConfiguration/);
});
