import type { BackupHeader, BackupObject } from './backup-format.js';
import { backupLines, parseBackup } from './backup-format.js';

const HEADER: BackupHeader = {
  format: 'coordination-apiserver/backup',
  version: 1,
  revision: 7,
  createdAt: '2030-01-01T00:00:00Z',
  shared: [],
};
const OBJECT: BackupObject = { resource: 'namespaces', path: 'a', uid: 'u', revision: 5, terminating: false, data: '{}' };

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

async function written(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of backupLines(HEADER, each([OBJECT, { ...OBJECT, path: 'b' }]))) lines.push(line.trimEnd());
  return lines;
}

test('a written backup can be read', async () => {
  expect(await parseBackup(each(await written()))).toEqual({ header: HEADER, objects: [OBJECT, { ...OBJECT, path: 'b' }] });
});

test.each<[string, (lines: string[]) => string[]]>([
  ['it is truncated', (lines) => lines.slice(0, -1)],
  ['its checksum does not match', (lines) => lines.filter((_, at) => at !== 1)],
  ['its checksum does not match', (lines) => lines.map((line) => line.replace('"u"', '"v"'))],
  ['line 2 is malformed', (lines) => lines.map((line, at) => (at === 1 ? line.slice(0, -4) : line))],
  ['it is not a backup', () => ['{"kind":"List"}']],
  ['it is not a backup', () => []],
  ['this program does not know its version 2', (lines) => lines.map((line) => line.replace('"version":1', '"version":2'))],
])('%s', async (message, change) => {
  await expect(parseBackup(each(change(await written())))).rejects.toThrow(message);
});
