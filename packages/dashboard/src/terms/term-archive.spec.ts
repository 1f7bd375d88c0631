import { expect, test } from '@jest/globals';
import { TermArchive } from './term-archive.js';

const answered = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a page with many leases asks for each once, and what it no longer shows is forgotten', async () => {
  const asked: string[] = [];
  const client = {
    json: <T>(path: string): Promise<T> => {
      asked.push(path);
      return Promise.resolve({ items: [] } as T);
    },
  };
  // animation frames are a browser's
  Object.assign(globalThis, { requestAnimationFrame: () => 0 });
  const archive = new TermArchive(client);
  const page = Array.from({ length: 300 }, (_, i) => ({ namespace: 'ns', name: `lease-${i}`, mark: '' }));
  const show = async (leases: typeof page, now: number) => {
    for (let frame = 0; frame < 200; frame++) {
      for (const wanted of leases) archive.want(wanted, now);
      await answered();
    }
  };
  await show(page, 0);
  expect(asked).toHaveLength(1 + 300);
  expect(page.every((lease) => archive.known(lease))).toBe(true);
  await show(page.slice(-10), 11_000);
  expect(page.filter((lease) => archive.known(lease))).toHaveLength(200);
  archive.stop();
});
