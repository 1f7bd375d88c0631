import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../../settings/start-error.js';
import type { WebhookTarget } from './webhook-client.js';
import { readWebhookKubeconfig, WebhookKubeconfigError } from './webhook-kubeconfig.js';

/** The value of --cluster-kubeconfig in a pod: its service account. */
const IN_CLUSTER = 'in-cluster';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Where a pod finds its cluster and its account; for tests. */
interface Pod {
  readonly environment?: NodeJS.ProcessEnv;
  readonly account?: string;
}

/** The cluster in front of this server, from `--cluster-kubeconfig`. Throws a StartError if it cannot be used. */
export function readClusterTarget(given: string, { environment = process.env, account = ACCOUNT }: Pod = {}): WebhookTarget {
  try {
    return given === IN_CLUSTER ? ofThisPod(environment, account) : readWebhookKubeconfig(given);
  } catch (error) {
    if (error instanceof WebhookKubeconfigError) throw new StartError(`--cluster-kubeconfig: ${error.message}`);
    throw error;
  }
}

function ofThisPod(environment: NodeJS.ProcessEnv, account: string): WebhookTarget {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined) throw new WebhookKubeconfigError(`${IN_CLUSTER} works in a pod only`);
  const read = (name: string): string => {
    try {
      // eslint-disable-next-line security/detect-non-literal-fs-filename -- one of two names in a fixed folder
      return readFileSync(path.join(account, name), 'utf8');
    } catch (error) {
      throw new WebhookKubeconfigError(`cannot read the service account of this pod: ${(error as Error).message}`);
    }
  };
  return {
    url: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    ca: read('ca.crt'),
    insecure: false,
    authorization: () => `Bearer ${read('token').trim()}`,
  };
}
