import { StartError } from '../../settings/start-error.js';

/**
 * Throws a StartError if the kernel does not distribute connections among processes, or this Node does not request it (added in 22.12 and
 * 23.1).
 */
export function requireReusePort(platform: string = process.platform, version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
  if (platform === 'linux' && isNew) return;
  throw new StartError(
    `more than one worker (--workers) needs Linux and Node.js 22.12 or 23.1; this is ${platform} with Node.js ${version}`,
  );
}
