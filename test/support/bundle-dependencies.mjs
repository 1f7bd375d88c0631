// Bundles the packages that the suites import into a few files. Jest loads all modules again for every test file, and these packages have
// three thousand: to find and compile them takes longer than most tests.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bundle, isStale, ROOT, runBundler } from './bundle.mjs';

/** jest.config.ts maps them to this folder. Packages that keep files of their own, or start threads from them, are not among them. */
const LIST = path.join(import.meta.dirname, 'bundled-dependencies.json');
const FOLDER = path.join(ROOT, 'node_modules/.cache/dependencies');
const PREFIX = '\0bundled:';

/** A package has the names under which Node finds its exports, also where it is CommonJS. */
const entries = {
  name: 'entries',
  resolveId: (id) => (id.startsWith(PREFIX) ? id : undefined),
  async load(id) {
    if (!id.startsWith(PREFIX)) return undefined;
    const name = id.slice(PREFIX.length);
    const names = Object.keys(await import(name)).filter((each) => each !== 'module.exports');
    const lines = [`import * as all from ${JSON.stringify(name)};`];
    if (names.includes('default')) lines.push('export default all.default;');
    lines.push(`export const { ${names.filter((each) => each !== 'default').join(', ')} } = all;`);
    return lines.join('\n');
  },
};

const NAMES = JSON.parse(readFileSync(LIST, 'utf8'));

/** Makes the bundle if a dependency is newer; jest calls it before the tests. */
export default function bundleDependencies() {
  if (isStale(path.join(FOLDER, `${NAMES[0]}.mjs`), LIST, import.meta.filename)) runBundler(import.meta.filename);
}

if (process.argv[1] === import.meta.filename) {
  const input = Object.fromEntries(NAMES.map((name) => [name, `${PREFIX}${name}`]));
  // reflect-metadata changes a global before the modules after it are evaluated
  await bundle({ folder: FOLDER, input, plugins: [entries], output: { strictExecutionOrder: true } });
  process.exit(); // whatever the packages have begun
}
