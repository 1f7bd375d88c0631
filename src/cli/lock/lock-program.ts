import { closestName } from '../closest-name.js';
import type { OwnKubeconfig } from '../../kube/choose-server.js';

/** Commands that run without loading anything of the server, so that scripts can use them. */
export function isLockCommand(name: string | undefined): name is 'lock' | 'elect' {
  return name === 'lock' || name === 'elect';
}

const DATA_DIR = 'COORDINATION_APISERVER_DATA_DIR';

/** The admin's kubeconfig of the server that ran here, by names that are repeated so that no setting is loaded. */
export function ownKubeconfig({ [DATA_DIR]: dataDir }: NodeJS.ProcessEnv): OwnKubeconfig {
  const problem = dataDir?.trim() === '' ? `invalid value "" for ${DATA_DIR}: must not be empty (leave it out for the default)` : undefined;
  return { file: `${dataDir ?? '.data'}/admin.kubeconfig`, isNamed: dataDir !== undefined, ...(problem !== undefined && { problem }) };
}

/** Runs `lock` or `elect` with all their arguments, and resolves with the exit code. */
export async function runLockProgram(args: readonly string[]): Promise<number> {
  const { runProgram } = await import('../../../packages/lease-lock/src/cli/run-program.js');
  const name = 'coordination-apiserver';
  return runProgram(args, { name, label: `${name} ${args[0]}`, own: ownKubeconfig(process.env), closest: closestName });
}
