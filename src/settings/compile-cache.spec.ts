import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isTrusted } from './compile-cache.js';

describe('the directory of what is compiled', () => {
  const user = process.getuid?.() ?? 0;
  let home = '';

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'compile-cache-'));
  });

  afterEach(() => rmSync(home, { recursive: true }));

  it('is created so that nobody else writes there', () => {
    const directory = path.join(home, 'a', 'b');
    const umask = process.umask(0);
    try {
      expect(isTrusted(directory, [user])).toBe(true);
    } finally {
      process.umask(umask);
    }
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });

  it('is not used if it belongs to somebody else, or if others may write there', () => {
    const directory = path.join(home, 'cache');
    mkdirSync(directory);
    expect(isTrusted(directory, [user + 1])).toBe(false);
    chmodSync(directory, 0o777);
    expect(isTrusted(directory, [user])).toBe(false);
    chmodSync(directory, 0o700);
    expect(isTrusted(directory, [user + 1, user])).toBe(true);
  });
});
