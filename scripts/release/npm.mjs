import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from './run.mjs';

/**
 * Packs an npm package into a directory. With the address of the repository that it is published from, the package names it: npm accepts
 * a statement of provenance only for that repository.
 */
export function packNpm(directory, destination, source) {
  if (!source) return void pack(directory, destination);
  const scratch = mkdtempSync(path.join(tmpdir(), 'package-'));
  try {
    const file = pack(directory, scratch);
    run('tar', ['-xzf', path.join(scratch, file), '-C', scratch]);
    const manifest = path.join(scratch, 'package/package.json');
    const content = JSON.parse(readFileSync(manifest, 'utf8'));
    content.repository = { type: 'git', url: `git+${source}.git`, ...(directory !== '.' && { directory }) };
    writeFileSync(manifest, `${JSON.stringify(content, undefined, 2)}\n`);
    // It is built already.
    pack(path.join(scratch, 'package'), destination, '--ignore-scripts');
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function pack(directory, destination, ...options) {
  const folder = directory === '.' ? [] : [path.resolve(directory)];
  const output = run('npm', ['pack', ...folder, `--pack-destination=${destination}`, '--json', '--silent', ...options], { read: true });
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n')));
  return filename;
}
