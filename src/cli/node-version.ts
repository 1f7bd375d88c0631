import { readFileSync } from 'node:fs';

interface Package {
  readonly engines: { readonly node: string };
}

/**
 * What to tell somebody whose Node.js is older than package.json's `engines` asks for; undefined where it is new enough. Imports
 * nothing but Node's own modules, because everything else may already fail to load there.
 */
export function nodeTooOld(version = process.versions.node): string | undefined {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Package;
  const required = engines.node.replace('>=', '');
  return isOlder(version, required) ? `coordination-apiserver needs Node.js ${required} or newer; this is ${version}` : undefined;
}

function isOlder(version: string, required: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [requiredMajor = 0, requiredMinor = 0] = required.split('.').map(Number);
  return major < requiredMajor || (major === requiredMajor && minor < requiredMinor);
}
