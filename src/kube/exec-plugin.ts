import { isObject } from '../apimachinery/schema/is-object.js';
import { type Fields, KubeconfigError, textOf } from './kubeconfig.js';

/** How long a plugin may take: somebody may have to sign in. */
const TIMEOUT_MS = 180_000;

/** The credentials that a plugin issues: a token, or a certificate with its key, or both. */
export interface PluginCredentials {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  /** When they expire, in milliseconds since 1970; Infinity if they do not say. */
  readonly until: number;
}

/** How a kubeconfig's `exec` is run (client.authentication.k8s.io). */
export function pluginCommand({ command, args, env, apiVersion }: Fields): {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: { readonly env: NodeJS.ProcessEnv; readonly timeout: number; readonly killSignal: 'SIGKILL' };
} {
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  const variables = (Array.isArray(env) ? env : []).filter(isObject);
  const own = Object.fromEntries(variables.map(({ name, value }) => [String(name), String(value)]));
  return {
    command: String(command),
    args: (Array.isArray(args) ? args : []).map(String),
    options: { env: { ...process.env, ...own, KUBERNETES_EXEC_INFO: info }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
  };
}

/** Parses what a plugin printed, an ExecCredential. Throws a KubeconfigError. */
export function credentialsIn(printed: string, { apiVersion: wanted }: Fields): PluginCredentials {
  const answer = parseJson(printed);
  const { kind, apiVersion } = isObject(answer) ? answer : {};
  if (!isObject(answer) || kind !== 'ExecCredential' || (textOf(wanted) ?? apiVersion) !== apiVersion) {
    throw new KubeconfigError(`it printed no ExecCredential of the apiVersion ${textOf(wanted) ?? '""'}`);
  }
  const status = isObject(answer['status']) ? answer['status'] : {};
  const [token, cert, key, until] = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'].map((name) =>
    textOf(status[name]),
  );
  if ((cert === undefined) !== (key === undefined) || (token ?? cert) === undefined) {
    throw new KubeconfigError('it issued neither a token nor a certificate with its key');
  }
  return { token, cert, key, until: until === undefined ? Infinity : Date.parse(until) };
}

/** Says why no credentials came of a plugin, without its arguments and output, which have secrets. */
export function pluginFailure(command: string, error: unknown): KubeconfigError {
  const { status, code, signal, killed = code === 'ETIMEDOUT' } = error as ProcessFailure;
  const how = status ?? code ?? signal ?? 'it was not run';
  const why = typeof how === 'number' ? `exit code ${how}` : how;
  const what = killed ? `no answer within ${TIMEOUT_MS} ms` : why;
  return new KubeconfigError(`the credential plugin ${command} failed: ${error instanceof KubeconfigError ? error.message : what}`);
}

/** How execFile and execFileSync say it. */
interface ProcessFailure {
  readonly status?: number | null;
  readonly code?: number | string | null;
  readonly signal?: string | null;
  /** Whether its time was over. */
  readonly killed?: boolean;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
