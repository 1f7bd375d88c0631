// Writes what the built program contains, and the optional PostgreSQL, as CycloneDX 1.5, to sbom.cdx.json or the named file. The addresses from which
// packages were fetched are left out: they belong to the builder's registry, not to the product. So are the time and the random serial
// number, so that the same lock file gives the same bytes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readBundledPackages } from './build/bundled-packages.mjs';

const [file = 'sbom.cdx.json'] = process.argv.slice(2);
const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'], {
  encoding: 'utf8',
  maxBuffer: 256 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const sbom = JSON.parse(text);
const { name, version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const bundled = new Set(readBundledPackages().map((each) => `${each.name}@${each.version}`));
const nameOf = (component) => (component.group ? `${component.group}/${component.name}` : component.name);
const isContained = (component) => bundled.has(`${nameOf(component)}@${component.version}`);
const isOptional = (component) => nameOf(component) in optionalDependencies;
sbom.components = sbom.components.filter((component) => isContained(component) || isOptional(component));
const missing = [...bundled].filter((each) => !sbom.components.some((component) => `${nameOf(component)}@${component.version}` === each));
if (missing.length > 0) throw new Error(`the lock file does not name ${missing.join(', ')}, which the program contains`);
Object.assign(sbom.metadata.component, { name, version });
delete sbom.metadata.timestamp;
delete sbom.serialNumber;
for (const component of sbom.components) {
  component.scope = isOptional(component) ? 'optional' : 'required';
  component.externalReferences = component.externalReferences?.filter(({ type }) => type !== 'distribution');
  component.properties = component.properties?.filter(({ name: property }) => property !== 'cdx:npm:package:development');
}
sbom.dependencies = dependenciesOf(sbom);
writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
console.log(`${file}: ${sbom.components.length} components`);

/** Which component needs which; the program needs all of them. */
function dependenciesOf({ metadata, components, dependencies }) {
  const known = components.map((component) => component['bom-ref']);
  const edges = dependencies.filter(({ ref }) => known.includes(ref));
  const needed = edges.map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => known.includes(each)) }));
  return [{ ref: metadata.component['bom-ref'], dependsOn: known }, ...needed];
}
