import { existsSync } from 'node:fs';
import { type OwnKubeconfig, chooseServer } from '../../../../src/kube/choose-server.js';
import { LockError } from '../lock-error.js';

/** The kubeconfig of the data directory, if that names the server; for options that name none. Throws a LockError if nothing names one. */
export function ownKubeconfigOf(own: OwnKubeconfig, complain: (line: string) => void): string | undefined {
  if (own.problem !== undefined) throw new LockError('configuration', own.problem);
  const chosen = chooseServer(own, process.env);
  if (chosen === undefined || (chosen.isOwn && !existsSync(own.file))) {
    throw new LockError(
      'configuration',
      `no server is known, and there is no ${own.file}: give --kubeconfig or --server, or set KUBECONFIG`,
    );
  }
  if (chosen.note !== undefined) complain(chosen.note);
  return chosen.isOwn ? own.file : undefined;
}
