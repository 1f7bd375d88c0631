import { readFileSync } from 'node:fs';
import type { VersionInfo } from '../../endpoints/discovery/version-info.js';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };

/** This program's own version. */
export const PROGRAM_VERSION = manifest.version;

/** The architectures by Go's names. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map(Object.entries({ x64: 'amd64', ia32: '386' }));

/** The Kubernetes version whose API this is; the build metadata behind the plus says who serves it. */
export const VERSION: VersionInfo = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: `v1.36.3+coordination-apiserver.${PROGRAM_VERSION}`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${ARCHITECTURES.get(process.arch) ?? process.arch}`,
};
