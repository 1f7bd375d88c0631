import { mkdtempSync, readFileSync, rmSync, appendFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KnownValues } from '../known-values.js';
import type { Question } from '../question.js';
import { AuditLog } from './audit-log.js';
import { compareAudit } from './compare-audit.js';
import { auditDeclarationOf, DECLARED_AUDIT } from './declared-audit-differences.js';

const dir = mkdtempSync(path.join(tmpdir(), 'audit-spec-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const question = (over: Partial<Question> = {}): Question => ({
  ...{ method: 'GET', path: '/api/v1/namespaces/{{ns}}', query: [], headers: {}, identity: 'admin' },
  ...over,
});
const user = { username: 'admin' };
const event = (auditID: string, stage: string, more: object = {}) => `${JSON.stringify({ auditID, stage, user, ...more })}\n`;

function side(name: string, text: string) {
  const file = path.join(dir, name);
  writeFileSync(file, text);
  return { file, log: new AuditLog(file), known: new KnownValues('ns') };
}

async function differencesOf(theirs: string, own: string): Promise<string[]> {
  const paths: string[] = [];
  const recorded = [{ id: 'a', place: 0, question: question() }];
  await compareAudit(recorded, side('theirs', theirs), side('own', own), (_, found) => paths.push(...found.map((each) => each.path)));
  return paths;
}

test('events of a request are compared by stage, without times and latencies', async () => {
  const latency = {
    annotations: { 'apiserver.latency.k8s.io/total': '1s', decision: 'allow' },
    stageTimestamp: '2024-01-02T03:04:05.000000Z',
  };
  const theirs = event('a', 'RequestReceived') + event('b', 'ResponseComplete') + event('a', 'ResponseComplete', latency);
  const plain = { annotations: { decision: 'allow' } };
  expect(await differencesOf(theirs, event('a', 'RequestReceived') + event('a', 'ResponseComplete', plain))).toEqual([]);
  expect(await differencesOf(theirs, event('a', 'ResponseComplete', { annotations: {} }))).toEqual([
    'audit.RequestReceived',
    'audit.ResponseComplete.annotations.decision',
  ]);
});

test('a log is read as it grows, and a request is waited for until its last event', async () => {
  const { file, log } = side('growing', event('a', 'RequestReceived') + event('a', 'ResponseComplete').slice(0, 20));
  const taken = log.take(['a', 'b']);
  appendFileSync(file, event('a', 'ResponseComplete').slice(20) + event('b', 'ResponseStarted', { user: {} }));
  expect([...(await taken)].map(([id, events]) => [id, events.map(({ stage }) => stage)])).toEqual([
    ['a', ['RequestReceived', 'ResponseComplete']],
    ['b', ['ResponseStarted']],
  ]);
});

test.each(DECLARED_AUDIT.map(({ documented }) => documented))('documented: %s', (documented) => {
  const compatibility = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
  expect(compatibility).toContain(documented);
});

test('bodies are missing by declaration only where they have credentials', () => {
  const missing = [{ path: 'audit.ResponseComplete.requestObject', upstream: {}, ours: undefined }];
  const token = '/api/v1/namespaces/{{ns}}/serviceaccounts/a/token';
  expect(auditDeclarationOf(missing, question({ method: 'POST', path: token }))).toBeDefined();
  expect(auditDeclarationOf(missing, question({ method: 'POST' }))).toBeUndefined();
});
