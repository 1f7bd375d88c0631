// Packs what a release publishes into a directory: the npm packages, the executables, the chart, the list of dependencies, the notes, and checksums of all
// of them. Publishes nothing: .github/workflows/release.yml does. docs/development/releasing.md has the options.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packChart } from './release/chart.mjs';
import { PLATFORMS, packExecutable } from './release/executable.mjs';
import { packNpm } from './release/npm.mjs';
import { notesOf, whyNotReleasable } from './release/readiness.mjs';
import { options } from './release/options.mjs';
import { run } from './release/run.mjs';

const values = options(
  'usage: npm run release -- [--dry-run] [--output=DIR] [--repository=URL] [--source=URL] [--executables=PLATFORM,...]',
  {
    'dry-run': { type: 'boolean', default: false },
    output: { type: 'string', default: 'release' },
    repository: { type: 'string' },
    source: { type: 'string' },
    executables: { type: 'string', default: PLATFORMS.join() },
  },
);
const output = path.resolve(values.output);

try {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const reasons = whyNotReleasable(version);
  if (reasons.length > 0 && !values['dry-run']) throw new Error(`${version} cannot be released:\n  ${reasons.join('\n  ')}`);
  await pack(version);
  for (const name of readdirSync(output))
    print(`${path.join(values.output, name)} ${(statSync(path.join(output, name)).size / 1e3).toFixed(1)} kB`);
  if (reasons.length > 0) print(`\nBefore ${version} can be released:\n  ${reasons.join('\n  ')}`);
  print(
    `\nNothing is published. A pushed tag v${version} runs .github/workflows/release.yml, which publishes and signs these files and the images.`,
  );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function pack(version) {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  for (const directory of ['.', 'packages/leader-election', 'packages/lease-lock', 'packages/testing'])
    packNpm(directory, output, values.source);
  for (const platform of values.executables.split(',')) await packOneFile(version, platform);
  // For Helm and npm alike a package is NAME-VERSION.tgz.
  packChart(path.join(output, `coordination-apiserver-chart-${version}.tgz`), values.repository);
  run(process.execPath, ['scripts/sbom.mjs', path.join(output, `coordination-apiserver-${version}.cdx.json`)]);
  writeFileSync(path.join(output, 'notes.md'), notes(version));
  writeFileSync(path.join(output, 'SHA256SUMS'), checksums());
}

/** The program as one file, in an archive that keeps its mode. */
async function packOneFile(version, platform) {
  if (!PLATFORMS.includes(platform)) throw new Error(`--executables must name ${PLATFORMS.join(', ')}, not ${JSON.stringify(platform)}`);
  const file = path.join(output, 'coordination-apiserver');
  const reason = await packExecutable(platform, file);
  if (reason !== undefined) return print(`no executable for ${platform}: ${reason}`);
  run('tar', ['-czf', path.join(output, `coordination-apiserver-${version}-${platform}.tar.gz`), '-C', output, 'coordination-apiserver']);
  return rmSync(file);
}

/** The links of the changelog are relative to a file in the repository. */
function notes(version) {
  const text = notesOf(version) ?? notesOf('Unreleased');
  return values.source ? text.replace(/\]\((?![a-z]+:|#)/g, `](${values.source}/blob/v${version}/`) : text;
}

/** In the format of sha256sum. */
function checksums() {
  const hash = (name) =>
    createHash('sha256')
      .update(readFileSync(path.join(output, name)))
      .digest('hex');
  const lines = readdirSync(output).map((name) => `${hash(name)}  ${name}\n`);
  return lines.join('');
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
