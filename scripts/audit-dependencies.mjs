// Fails if a production dependency has a known vulnerability (npm audit). If the registry does not answer, for example because it does
// not offer audits or there is no network, the script reports that and succeeds: it says nothing about the dependencies.
import { spawnSync } from 'node:child_process';

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 60_000 });
const report = parse(stdout);
if (error || !report?.metadata?.vulnerabilities) {
  console.log(`not audited: ${error ? 'npm audit did not end' : reasonOf(report)}`);
  process.exit(0);
}
const findings = Object.values(report.vulnerabilities ?? {});
for (const { name, severity, via } of findings) {
  const titles = via.map((each) => (typeof each === 'string' ? `through ${each}` : `${each.title} (${each.url})`));
  console.error(`${severity}: ${name}: ${titles.join('; ')}`);
}
if (findings.length > 0) process.exit(1);
const { prod = 0, total = 0 } = report.metadata.dependencies ?? {};
console.log(`audited: no known vulnerabilities in ${prod || total} production dependencies`);

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
