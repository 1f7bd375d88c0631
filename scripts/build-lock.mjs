// Bundles packages/lease-lock and packages/lease-mcp into dist/lock, unless the existing build is newer than all its sources.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const PACKAGE = path.join(ROOT, 'packages/lease-lock');
const FOLDER = path.join(ROOT, 'dist/lock');

export function isLockStale() {
  const built = statSync(path.join(FOLDER, 'lease-mcp.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // The last three have what the package bundles of the server.
  const folders = [
    'packages/lease-lock/src',
    'packages/lease-mcp/src',
    'packages/kube-client/src',
    'src/cli/kube',
    'src/kube',
    'src/apimachinery/text',
    'src/storage/database/hosts',
  ];
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return [...files, path.join(PACKAGE, 'build.mjs'), path.join(ROOT, 'packages/lease-mcp/build.mjs')].some(
    (file) => statSync(file).mtimeMs > built,
  );
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  if (isLockStale()) {
    const { buildProgram } = await import('../packages/lease-lock/build.mjs');
    await buildProgram(FOLDER);
    const { buildMcp } = await import('../packages/lease-mcp/build.mjs');
    await buildMcp(path.join(FOLDER, 'lease-mcp.js'));
  }
}
