// Bundles the library with what it shares with the other packages, and writes its types.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });
const build = await rolldown({
  input: 'src/leader-election.ts',
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
});
await build.write({ file: 'dist/leader-election.js', format: 'esm' });
await build.close();
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit' });
process.exit(status ?? 1);
