import type { CopiedTerm } from '../postgres/terms/term-comparison.js';
import { type BackupEntry, type BackupHeader, type BackupObject, type BackupState, backupLines, parseBackup } from './backup.js';

const HEADER: BackupHeader = {
  format: 'coordination-apiserver/backup',
  version: 3,
  revision: 7,
  createdAt: '2030-01-01T00:00:00Z',
  shared: [],
};
const OBJECT: BackupObject = { resource: 'namespaces', path: 'a', uid: 'u', revision: 5, terminating: false, data: '{}' };
const TERM: CopiedTerm = { namespace: 'a', lease: 'l', token: 6, until: null };
const STATE: BackupState = { state: 'a/l', version: 3, written: '2030-01-01T00:00:00Z', serial: null, data: '{}' };

const none = () => ({ objects: 0, terms: 0, states: 0 });

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

async function written(): Promise<string[]> {
  const lines: string[] = [];
  const content = { header: HEADER, objects: [OBJECT, { ...OBJECT, path: 'b' }], terms: each([TERM]), states: each([STATE]) };
  for await (const line of backupLines(content, none())) lines.push(line.trimEnd());
  return lines;
}

async function read(lines: readonly string[]): Promise<BackupEntry[]> {
  const entries: BackupEntry[] = [];
  for await (const entry of parseBackup(each(lines))) entries.push(entry);
  return entries;
}

test('a line has no other end of a line', async () => {
  const terms = each<CopiedTerm>([{ ...TERM, holder: 'x\u2028y\u2029z' }]);
  const lines: string[] = [];
  const content = { header: HEADER, objects: [], terms, states: each([]) };
  for await (const line of backupLines(content, none())) lines.push(line.trimEnd());
  expect(lines.join('')).not.toMatch(/[\u2028\u2029]/);
  expect((await read(lines)).at(-1)).toEqual({ kind: 'term', term: { ...TERM, holder: 'x\u2028y\u2029z' } });
});

test('a written backup can be read', async () => {
  expect(await read(await written())).toEqual([
    { kind: 'header', header: HEADER },
    { kind: 'object', object: OBJECT },
    { kind: 'object', object: { ...OBJECT, path: 'b' } },
    { kind: 'term', term: TERM },
    { kind: 'state', state: STATE },
  ]);
});

test('a backup of version 1, which has no terms, can be read', async () => {
  const lines = [
    '{"format":"coordination-apiserver/backup","version":1,"revision":7,"createdAt":"2030-01-01T00:00:00Z","shared":[]}',
    '{"resource":"namespaces","path":"a","uid":"u","revision":5,"terminating":false,"data":"{}"}',
    '{"objects":1,"sha256":"84ed08f47c7c14058164e3fa26fbc62899cfc8f226b9399f36d3b61b0a1f1943"}',
  ];
  expect(await read(lines)).toEqual([
    { kind: 'header', header: { ...HEADER, version: 1 } },
    { kind: 'object', object: OBJECT },
  ]);
});

test.each<[string, (lines: string[]) => string[]]>([
  ['it is truncated', (lines) => lines.slice(0, -1)],
  ['its checksum does not match', (lines) => lines.filter((_, at) => at !== 1)],
  ['its checksum does not match', (lines) => lines.filter((_, at) => at !== 3)],
  ['its checksum does not match', (lines) => lines.map((line) => line.replace('"u"', '"v"'))],
  ['line 2 is malformed', (lines) => lines.map((line, at) => (at === 1 ? line.slice(0, -4) : line))],
  ['its checksum does not match', (lines) => lines.filter((_, at) => at !== 4)],
  ['line 2 is neither an object, a term nor a state', (lines) => [lines[0]!, '7', ...lines.slice(1)]],
  ['it is not a backup', () => ['{"kind":"List"}']],
  ['it is not a backup', () => []],
  ['this program does not know its version 4', (lines) => lines.map((line) => line.replace('backup","version":3', 'backup","version":4'))],
])('%s', async (message, change) => {
  await expect(read(change(await written()))).rejects.toThrow(message);
});
