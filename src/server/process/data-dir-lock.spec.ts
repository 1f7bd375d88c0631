import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DataDirLock, processIdentity } from './data-dir-lock.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'lock-'))));
afterEach(() => rmSync(dir, { recursive: true }));

test('a second owner is refused, with the first one’s process id, until the lock is released', () => {
  const first = new DataDirLock(dir);
  first.acquire();
  expect(() => new DataDirLock(dir).acquire()).toThrow(`another server (process ${process.pid}) uses the data directory ${dir}`);
  expect(() => new DataDirLock(dir).requireUnused()).toThrow(`another server (process ${process.pid}) uses`);
  first.release();
  new DataDirLock(dir).requireUnused();
  new DataDirLock(path.join(dir, 'none')).requireUnused();
  expect(readdirSync(dir)).toEqual([]);
  new DataDirLock(dir).acquire();
});

test('the refusal in a copy of a directory in use names the original', () => {
  const original = path.join(dir, 'original');
  const copy = path.join(dir, 'copy');
  new DataDirLock(original).acquire();
  cpSync(original, copy, { recursive: true });
  expect(() => new DataDirLock(copy).acquire()).toThrow(`uses the data directory ${original}, of which ${copy} is a copy`);
  renameSync(original, path.join(dir, 'moved'));
  expect(() => new DataDirLock(path.join(dir, 'moved')).acquire()).toThrow(`uses the data directory ${dir}/moved: stop it`);
});

test('the lock of an ended process, or of one whose id now belongs to another, is taken over', () => {
  for (const stale of ['999999999 boot/1\n', `${process.pid} boot/1\n`, '']) {
    writeFileSync(path.join(dir, 'lock'), stale);
    const lock = new DataDirLock(dir);
    lock.acquire();
    expect(readdirSync(dir)).toEqual(['lock', 'lock-place']);
    lock.release();
  }
});

test('a process has the same identity while it runs, and none afterwards', () => {
  expect(processIdentity(process.pid)).toBe(processIdentity(process.pid));
  expect(processIdentity(process.pid)).not.toBe(processIdentity(1));
  expect(processIdentity(999_999_999)).toBeUndefined();
});
