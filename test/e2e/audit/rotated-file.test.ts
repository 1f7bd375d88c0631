import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type RotatedFileOptions, RotatedFile } from '../../../src/audit/backends/log-backend.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

describe('the audit log file', () => {
  const scratch = scratchDirectory();
  let folder: string;
  let clock = Date.UTC(2030, 0, 1, 12, 30);
  beforeEach(() => {
    folder = mkdtempSync(path.join(scratch, 'audit-'));
  });

  function open(options: Partial<RotatedFileOptions> = {}): RotatedFile {
    return new RotatedFile({
      path: path.join(folder, 'logs', 'audit.log'),
      maxBytes: 10,
      maxAgeDays: 0,
      maxBackups: 0,
      compress: false,
      blocking: true,
      now: () => (clock += 1000),
      onTidyError: (error) => {
        throw error;
      },
      ...options,
    });
  }
  const files = () => readdirSync(path.join(folder, 'logs')).sort();
  const read = (name: string) => readFileSync(path.join(folder, 'logs', name), 'utf8');

  it('is readable only by its owner, and a reopened file is appended to', () => {
    const first = open();
    void first.write('one\n');
    first.close();
    const second = open();
    void second.write('two\n');
    second.close();
    expect(read('audit.log')).toBe('one\ntwo\n');
    expect(statSync(path.join(folder, 'logs', 'audit.log')).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(folder, 'logs')).mode & 0o777).toBe(0o700);
  });

  it('is renamed with a timestamp before it exceeds the size limit', () => {
    const file = open();
    for (const text of ['12345\n', '678\n', '9\n', 'longer than the limit\n']) void file.write(text);
    file.close();
    const [aside, second, current] = files();
    expect([aside, second, current]).toEqual([
      expect.stringMatching(/^audit-2030-01-01T12-30-\d\d\.000\.log$/),
      expect.stringMatching(/^audit-2030-01-01T12-30-\d\d\.000\.log$/),
      'audit.log',
    ]);
    expect([aside, second, current].map((name) => read(name ?? ''))).toEqual(['12345\n678\n', '9\n', 'longer than the limit\n']);
  });

  it('is not rotated when no size limit is set', () => {
    const file = open({ maxBytes: 0 });
    void file.write('x'.repeat(1000));
    void file.write('x'.repeat(1000));
    file.close();
    expect(files()).toEqual(['audit.log']);
  });

  it('keeps the configured number of old files, deletes those past the maximum age, and leaves other files alone', () => {
    const file = open({ maxBackups: 2, maxAgeDays: 1 });
    writeFileSync(path.join(folder, 'logs', 'audit-2029-12-30T00-00-00.000.log'), '');
    writeFileSync(path.join(folder, 'logs', 'audit-notes.log'), '');
    for (let at = 0; at < 5; at += 1) void file.write('0123456789');
    file.close();
    expect(files().filter((name) => name.startsWith('audit-20'))).toHaveLength(2);
    expect(files()).toContain('audit-notes.log');
    expect(files()).not.toContain('audit-2029-12-30T00-00-00.000.log');
  });

  it('compresses rotated files', async () => {
    const file = open({ compress: true });
    void file.write('0123456789');
    void file.write('next');
    file.close();
    while (!files().some((name) => name.endsWith('.gz')) || files().length > 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const [compressed] = files();
    expect(gunzipSync(readFileSync(path.join(folder, 'logs', compressed ?? ''))).toString()).toBe('0123456789');
  });

  it('can be written without blocking', async () => {
    const file = open({ blocking: false });
    await file.write('one');
    await file.write('two');
    file.close();
    expect(read('audit.log')).toBe('onetwo');
  });

  it('reports why it cannot be opened', () => {
    expect(() => open({ path: folder })).toThrow('EISDIR');
  });
});
