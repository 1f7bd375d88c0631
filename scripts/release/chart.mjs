import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, parseDocument } from 'yaml';
import { has, run } from './run.mjs';

const root = path.join(import.meta.dirname, '../..');
const CHART = path.join(root, 'deploy/helm/coordination-apiserver');

/** Packs the chart into a file, with a repository as the default of image.repository. */
export function packChart(file, repository) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'chart-'));
  try {
    const copy = path.join(scratch, path.basename(CHART));
    cpSync(CHART, copy, { recursive: true });
    if (repository) setRepository(path.join(copy, 'values.yaml'), repository);
    const packed = path.join(scratch, 'packed');
    run(helm(), ['package', copy, `--destination=${packed}`]);
    cpSync(path.join(packed, readdirSync(packed)[0]), file);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Adds a packed chart to an OCI layout, as `helm push` adds it to a registry. */
export function addChart(layout, name, file) {
  const metadata = parse(readFileSync(path.join(CHART, 'Chart.yaml'), 'utf8'));
  return layout.addManifest(name, {
    config: layout.addBlob('application/vnd.cncf.helm.config.v1+json', Buffer.from(JSON.stringify(metadata))),
    layers: [layout.addBlob('application/vnd.cncf.helm.chart.content.v1.tar+gzip', readFileSync(file))],
    annotations: {
      'org.opencontainers.image.title': metadata.name,
      'org.opencontainers.image.version': metadata.version,
      'org.opencontainers.image.description': metadata.description,
    },
  });
}

function setRepository(file, repository) {
  const values = parseDocument(readFileSync(file, 'utf8'));
  values.setIn(['image', 'repository'], repository);
  writeFileSync(file, values.toString({ lineWidth: 0 }));
}

/** The installed Helm, otherwise the one that the tests build. */
function helm() {
  if (has('helm', 'version')) return 'helm';
  const built = path.join(root, 'node_modules/.cache/clients/deploy/helm');
  if (has(built, 'version')) return built;
  if (!has('go', 'version')) throw new Error('neither helm is installed, nor go, which builds it');
  run('go', ['-C', path.join(root, 'test/deploy/go'), 'build', '-o', built, 'helm.sh/helm/v3/cmd/helm']);
  return built;
}
