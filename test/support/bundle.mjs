import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Whether a bundle has to be made: one of its sources is newer than `file`, which it writes, or a dependency is. */
export function isStale(file, ...sources) {
  const changed = (each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [path.join(ROOT, 'node_modules/.package-lock.json'), import.meta.filename, ...sources].some(
    (each) => changed(each) >= changed(file),
  );
}

/** Runs a script that bundles. It has a process of its own, so that nothing of the bundler stays in jest's. */
export function runBundler(script) {
  const { status } = spawnSync(process.execPath, [script], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${path.basename(script)} failed`);
}

/** Bundles `input` into `folder`, which it replaces; the other options are those of rolldown. */
export async function bundle({ folder, output = {}, ...options }) {
  rmSync(folder, { recursive: true, force: true });
  const build = await rolldown({
    cwd: ROOT,
    platform: 'node',
    // Frameworks name optional packages that are not installed; those stay imports that may fail.
    onLog: (level, log, report) => (['UNRESOLVED_IMPORT', 'PLUGIN_TIMINGS'].includes(log.code) ? undefined : report(level, log)),
    ...options,
  });
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    keepNames: true,
    ...output,
  });
  await build.close();
}
