import { PROGRAM_VERSION } from '../../settings/program-version.js';
import type { VersionInfo } from '../../endpoints/discovery/discovery-documents.js';

/** Go's names of the architectures. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map(Object.entries({ x64: 'amd64', ia32: '386' }));

/** The Kubernetes version whose API this server implements; the build metadata after the plus names the server. */
export const VERSION: VersionInfo = {
  major: '1',
  minor: '37',
  emulationMajor: '1',
  emulationMinor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: `v1.37.2+coordination-apiserver.${PROGRAM_VERSION}`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${ARCHITECTURES.get(process.arch) ?? process.arch}`,
};
