// Builds the image and the chart into a directory in the OCI image layout, which skopeo, oras, cosign and registries understand. The
// image is that of the Dockerfile, built by Buildah, which needs no daemon. docs/development/releasing.md has the options.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OciLayout } from './release/oci-layout.mjs';
import { options } from './release/options.mjs';
import { has, run } from './release/run.mjs';

const USAGE = 'usage: npm run oci -- [--output=DIR] [--only=image|chart] [--base-image=NAME] [--build-image=NAME] [--repository=URL]';
const PARTS = ['image', 'chart'];

const values = options(USAGE, {
  output: { type: 'string', default: 'oci' },
  only: { type: 'string', default: 'image,chart' },
  'base-image': { type: 'string' },
  'build-image': { type: 'string' },
  repository: { type: 'string' },
});
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const output = path.resolve(values.output);
const parts = values.only.split(',');

try {
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`--only must be image or chart, not ${JSON.stringify(unknown)}`);
  if (parts.includes('image')) requireBuildah();
  const layout = OciLayout.create(output);
  if (parts.includes('image')) {
    buildImage(version);
    const { digest, layers } = await layout.measure(version);
    // Buildah puts everything that the Dockerfile adds to its base image into one layer.
    const own = layers.slice(-1);
    report(version, digest, `image, ${sizes(layers)}; without the base image ${sizes(own)}`);
  }
  if (parts.includes('chart')) {
    const name = `chart-${version}`;
    const { digest, size } = await chart(layout, name);
    report(name, digest, `chart, ${(size / 1e3).toFixed(1)} kB`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function requireBuildah() {
  if (!has('buildah', '--version'))
    throw new Error('buildah is not installed (apt-get install buildah); or run "docker build ." without it');
}

/** The same commit on the same base image gives the same digest, because all times are the commit's. */
function buildImage(tag) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const labels = { version, revision: git('rev-parse', 'HEAD') };
  const images = { NODE_IMAGE: values['base-image'], BUILD_IMAGE: values['build-image'] };
  const name = `localhost/coordination-apiserver:${tag}`;
  run('buildah', [
    'build',
    '--format=oci',
    `--timestamp=${git('log', '-1', '--format=%ct')}`,
    `--tag=${name}`,
    ...Object.entries(labels).map(([key, value]) => `--label=org.opencontainers.image.${key}=${value}`),
    ...Object.entries(images).flatMap(([key, value]) => (value ? [`--build-arg=${key}=${value}`] : [])),
    '.',
  ]);
  run('buildah', ['push', name, `oci:${output}:${tag}`]);
}

/** The image is built without the packages that this imports. */
async function chart(layout, name) {
  const { addChart, packChart } = await import('./release/chart.mjs');
  const scratch = mkdtempSync(path.join(tmpdir(), 'chart-'));
  try {
    const file = path.join(scratch, 'chart.tgz');
    packChart(file, values.repository);
    return { ...addChart(layout, name, file), size: readFileSync(file).length };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function sizes(layers) {
  const megabytes = (kind) => (layers.reduce((sum, layer) => sum + layer[kind], 0) / 1e6).toFixed(1);
  return `${megabytes('stored')} MB to pull, ${megabytes('unpacked')} MB unpacked`;
}

function report(name, digest, text) {
  process.stdout.write(`${values.output}:${name} ${digest}\n  ${text}\n`);
}
