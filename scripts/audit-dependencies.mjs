// Fails if a package that the program contains, or the optional PostgreSQL, has a known vulnerability (npm audit). If the registry does not answer, for example because it does
// not offer audits or there is no network, the script reports that and succeeds: it says nothing about the dependencies.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { buildProgramIfStale } from './build-program.mjs';
import { readBundledPackages } from './build/bundled-packages.mjs';

await buildProgramIfStale();
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const shipped = [
  ...readBundledPackages().map(({ path }) => path),
  ...Object.keys(optionalDependencies).map((name) => `node_modules/${name}`),
];

const { stdout, error } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', timeout: 60_000 });
const report = parse(stdout);
if (error || !report?.metadata?.vulnerabilities) {
  console.log(`not audited: ${error ? 'npm audit did not end' : reasonOf(report)}`);
  process.exit(0);
}
const findings = Object.values(report.vulnerabilities ?? {}).filter(({ nodes = [] }) => nodes.some((node) => shipped.includes(node)));
for (const { name, severity, via } of findings) {
  const titles = via.map((each) => (typeof each === 'string' ? `through ${each}` : `${each.title} (${each.url})`));
  console.error(`${severity}: ${name}: ${titles.join('; ')}`);
}
if (findings.length > 0) process.exit(1);
console.log(`audited: no known vulnerabilities in the ${shipped.length} packages that users get`);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Removes the address of the registry, which must not be published. */
function reasonOf(report) {
  const { statusCode, error: { code, summary } = {} } = report ?? {};
  if (statusCode) return `the registry does not offer it (${statusCode})`;
  return code || /^[\w ]+/.exec(summary ?? '')?.[0] || 'the registry did not answer';
}
