import { programManifest } from '../settings/program-files.js';

/**
 * Returns the message for a Node.js older than `engines` in package.json; undefined if it is new enough. Imports only what loads there, too.
 */
export function nodeTooOld(version = process.versions.node): string | undefined {
  const required = programManifest().engines.node.replace('>=', '');
  return isOlder(version, required) ? `coordination-apiserver needs Node.js ${required} or newer; this is ${version}` : undefined;
}

function isOlder(version: string, required: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [requiredMajor = 0, requiredMinor = 0] = required.split('.').map(Number);
  return major < requiredMajor || (major === requiredMajor && minor < requiredMinor);
}
