import { expect, test } from '@jest/globals';
import { TermArchive } from './term-archive.js';

const answered = () => new Promise<void>((resolve) => setImmediate(resolve));

const HOUR = 3_600_000;

/** A server with the terms of one lease, listed as it lists them: from the newest back. */
function history(terms: number) {
  let tokens = terms;
  const asked: string[] = [];
  const item = (token: number) => ({
    metadata: { name: `jobs.${token}` },
    spec: { holder: `h${token}`, fencingToken: String(token), from: new Date(token * HOUR).toISOString() },
    status: { reason: 'Released', ...(token < tokens && { until: new Date((token + 1) * HOUR).toISOString() }) },
  });
  const json = <T>(path: string): Promise<T> => {
    asked.push(path);
    const query = new URL(path, 'http://server').searchParams;
    const from = Number(query.get('continue') ?? tokens);
    const to = Math.max(0, from - Number(query.get('limit')));
    const items = Array.from({ length: from - to }, (_, i) => item(from - i));
    return Promise.resolve({ items, metadata: { continue: to === 0 ? '' : String(to) } } as T);
  };
  return { client: { json }, asked, begin: () => tokens++ };
}

async function shown(archive: TermArchive, now: number) {
  for (let frame = 0; frame < 50; frame++) {
    archive.want({ namespace: 'ns', name: 'jobs', mark: String(now) }, now);
    await answered();
  }
  const { terms = [], hasEarlier } = archive.known({ namespace: 'ns', name: 'jobs' }) ?? {};
  return { newest: terms.at(-1)?.token, oldest: terms[0]?.token, ended: terms.filter(({ to }) => to !== undefined).length, hasEarlier };
}

test('the newest terms of a lease are read first, then only changes, and earlier ones on demand', async () => {
  Object.assign(globalThis, { requestAnimationFrame: () => 0 });
  const { client, asked, begin } = history(25_000);
  const archive = new TermArchive(client);
  const lease = { namespace: 'ns', name: 'jobs' };
  expect(await shown(archive, 0)).toEqual({ newest: '25000', oldest: '15001', ended: 9_999, hasEarlier: true });
  expect(asked).toHaveLength(1 + 5);
  begin();
  expect(await shown(archive, HOUR)).toEqual({ newest: '25001', oldest: '15002', ended: 9_999, hasEarlier: true });
  expect(asked).toHaveLength(1 + 5 + 1);
  expect(archive.canReadFurther(lease)).toBe(true);
  archive.readFurther(lease);
  expect(await shown(archive, HOUR)).toMatchObject({ newest: '25001', oldest: '5002', hasEarlier: true });
  archive.readFurther(lease);
  begin();
  expect(await shown(archive, 2 * HOUR)).toEqual({ newest: '25002', oldest: '1', ended: 25_001, hasEarlier: false });
  expect(archive.canReadFurther(lease)).toBe(false);
  archive.stop();
});

test('a page never reads more than it can hold', async () => {
  Object.assign(globalThis, { requestAnimationFrame: () => 0 });
  const archive = new TermArchive(history(60_000).client);
  for (let more = 0; more < 4; more++) {
    await shown(archive, more * HOUR);
    expect(archive.canReadFurther({ namespace: 'ns', name: 'jobs' })).toBe(true);
    archive.readFurther({ namespace: 'ns', name: 'jobs' });
  }
  expect(await shown(archive, 5 * HOUR)).toMatchObject({ newest: '60000', oldest: '10001', hasEarlier: true });
  expect(archive.canReadFurther({ namespace: 'ns', name: 'jobs' })).toBe(false);
  archive.stop();
});

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
