import { expect, test } from '@jest/globals';
import { startServerProcess } from '../../support/server-process.js';

interface Line {
  readonly phase?: string;
  readonly ms: number;
  readonly at: number;
}

test('--v=4 shows where the time of a start goes, a line for each phase', async () => {
  await using server = await startServerProcess({ store: 'postgres', flags: ['--v=4', '--logging-format=json'] });
  const lines = server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
    .filter(({ phase }) => phase !== undefined);
  expect(lines.map(({ phase }) => phase)).toEqual(
    expect.arrayContaining([
      'checking the settings',
      'loading the program',
      'opening the database',
      'reading the objects',
      'reading the keys',
      'assembling the application',
      'ensuring the namespaces',
      'reading the access rules',
      'listening',
      'starting the controllers',
    ]),
  );
  for (const { ms, at } of lines) expect(at).toBeGreaterThanOrEqual(ms);
  const [keys, objects] = ['reading the keys', 'reading the objects'].map((name) => lines.find(({ phase }) => phase === name)!);
  // Side by side: each begins before the other one is over.
  expect(keys!.at - keys!.ms).toBeLessThanOrEqual(objects!.at);
  expect(objects!.at - objects!.ms).toBeLessThanOrEqual(keys!.at);
});
