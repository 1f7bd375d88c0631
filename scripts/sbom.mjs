// Writes the server's dependencies from the lock file as CycloneDX 1.5, to sbom.cdx.json or the named file. The addresses from which
// packages were fetched are left out: they belong to the builder's registry, not to the product. So are the time and the random serial
// number, so that the same lock file gives the same bytes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [file = 'sbom.cdx.json'] = process.argv.slice(2);
const format = ['--sbom-format=cyclonedx', '--sbom-type=application'];
const sbomWithout = (...omitted) => {
  const options = omitted.map((kind) => `--omit=${kind}`);
  const text = execFileSync('npm', ['sbom', ...format, '--package-lock-only', ...options], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text);
};
/** Development dependencies of which dist has copies. */
const COPIED = ['preact', 'swagger-ui-dist'];
const sbom = sbomWithout('dev', 'optional');
sbom.components.push(...sbomWithout('optional').components.filter((component) => COPIED.includes(component.name)));
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
Object.assign(sbom.metadata.component, { name, version });
delete sbom.metadata.timestamp;
delete sbom.serialNumber;
for (const component of sbom.components) {
  component.externalReferences = component.externalReferences?.filter(({ type }) => type !== 'distribution');
}
writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
console.log(`${file}: ${sbom.components.length} components`);
