import { request } from 'node:https';
import { Argument, Command } from 'commander';
import type { KubeconfigOptions } from '../server/tls/admin-kubeconfig.js';
import { connectionFailure } from '../kube/connection-failure.js';
import { readAdminAccess } from './server-access.js';
import { CommandError } from './output/command-error.js';
import { addSettingOptions, configOf } from './setting-options.js';

/** Longer than its checks take to fail, which says more. */
const TIMEOUT_MS = 7_000;

const EXAMPLES = `
Examples:
  coordination-apiserver health
  coordination-apiserver health livez --data-dir /var/lib/coordination-apiserver`;

/** `health`: checks the server on this machine, for exec probes. */
export function healthCommand(): Command {
  const command = new Command('health')
    .description('Checks the health of the server in a data directory; exit code 1 unless healthy.')
    .addArgument(new Argument('[endpoint]', 'Health endpoint.').choices(['readyz', 'livez', 'healthz']).default('readyz'));
  addSettingOptions(command, ['data-dir']);
  return command.addHelpText('after', EXAMPLES).action(async (endpoint: string, _options, self: Command) => {
    const { status, text } = await ask(readAdminAccess(configOf(self)), endpoint);
    if (status !== 200) throw new CommandError(`${endpoint} answers ${status}: ${failures(text)}`);
    process.stdout.write(`${text.trim()}\n`);
  });
}

/** The names of failed checks, or else the whole response on one line. */
function failures(text: string): string {
  const failed = [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name);
  return failed.length > 0 ? `${failed.join(', ')} failed` : text.trim().replaceAll('\n', ' ');
}

function ask({ server, authorityCert, token }: KubeconfigOptions, endpoint: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server}/${endpoint}`, {
      agent: false,
      headers: { authorization: `Bearer ${token}` },
      ca: authorityCert,
      allowPartialTrustChain: true,
      // A configured certificate need not name the local address.
      checkServerIdentity: () => undefined,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const fail = (error: Error): void => {
      const isLate = error.name === 'AbortError' || error.name === 'TimeoutError';
      const late = `${server}/${endpoint} did not answer within ${TIMEOUT_MS} ms`;
      reject(new CommandError(isLate ? late : `cannot reach ${server}: ${connectionFailure(error)}`));
    };
    asked.on('error', fail);
    asked.on('response', (response) => {
      let text = '';
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.end();
  });
}
