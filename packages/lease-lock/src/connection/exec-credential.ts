import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LockError } from '../lock-error.js';
import type { Fields } from './kubeconfig.js';

const run = promisify(execFile);
/** A credential is fetched again this long before it ends. */
const EARLY = 30_000;

export interface Credential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface ExecCredential {
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

/** A kubeconfig's credential plugin (client.authentication.k8s.io); its answer is kept until it expires. */
export function execCredential(exec: Fields): () => Promise<Credential> {
  let kept: { credential: Credential; until: number } | undefined;
  return async () => {
    if (kept && Date.now() < kept.until) return kept.credential;
    const { status = {} } = await ask(exec);
    const credential = { token: status.token, cert: status.clientCertificateData, key: status.clientKeyData };
    const until = status.expirationTimestamp === undefined ? Infinity : Date.parse(status.expirationTimestamp) - EARLY;
    kept = { credential, until };
    return credential;
  };
}

async function ask({ command, args, env, apiVersion }: Fields): Promise<ExecCredential> {
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  const variables = (Array.isArray(env) ? env : []) as { name: string; value: string }[];
  const environment = {
    ...process.env,
    ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: info,
  };
  try {
    const { stdout } = await run(String(command), (Array.isArray(args) ? args : []).map(String), { env: environment });
    return JSON.parse(stdout) as ExecCredential;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new LockError('configuration', `the credential plugin ${String(command)} failed: ${line}`);
  }
}
