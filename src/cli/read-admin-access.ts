import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerSettings } from '../server/config/server-settings.js';
import { type KubeconfigOptions, ADMIN_KUBECONFIG, parseKubeconfig } from '../server/tls/admin-kubeconfig.js';
import { systemFailure } from '../settings/system-failure.js';
import { CommandError } from './output/command-error.js';

/** Reads the admin's kubeconfig of the server that runs, or last ran, in the data directory. Throws CommandError if there is none. */
export function readAdminAccess({ dataDir }: ServerSettings): KubeconfigOptions {
  const file = path.resolve(dataDir, ADMIN_KUBECONFIG);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT'
        ? `no server has run in ${path.dirname(file)} yet: start it first, or pass its --data-dir`
        : `cannot read the admin's kubeconfig: ${systemFailure(error)}`,
    );
  }
  const access = parseKubeconfig(text);
  if (access === undefined) throw new CommandError(`${file} is not as the server wrote it: remove it and restart the server`);
  return access;
}
