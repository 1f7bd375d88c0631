import { parse } from 'yaml';
import { writePrivateFile } from '../../settings/given-files.js';

export interface KubeconfigOptions {
  readonly server: string;
  /** The authority that the client trusts, as PEM. */
  readonly authorityCert: string;
  readonly token: string;
}

/** The file name of the admin's kubeconfig in a data directory. */
export const ADMIN_KUBECONFIG = 'admin.kubeconfig';

const NAME = 'coordination-apiserver';

/** Writes a kubeconfig (mode 0600) with one cluster, one user and one context. */
export function writeAdminKubeconfig(file: string, options: KubeconfigOptions): void {
  writePrivateFile(file, formatKubeconfig(options));
}

/** The text of a kubeconfig; JSON is YAML. */
export function formatKubeconfig({ server, authorityCert, token }: KubeconfigOptions): string {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster: { server, 'certificate-authority-data': Buffer.from(authorityCert).toString('base64') } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: 'admin', namespace: 'default' } }],
    'current-context': NAME,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: { readonly server?: unknown; readonly 'certificate-authority-data'?: unknown } }[];
  readonly users?: readonly { readonly user?: { readonly token?: unknown } }[];
}

/** The options that a text of `formatKubeconfig` was made from; undefined for any other text. */
export function parseKubeconfig(text: string): KubeconfigOptions | undefined {
  let content: Kubeconfig | null | undefined;
  try {
    content = parse(text) as Kubeconfig | null;
  } catch {
    return undefined;
  }
  const cluster = content?.clusters?.[0]?.cluster;
  const [server, authority, token] = [cluster?.server, cluster?.['certificate-authority-data'], content?.users?.[0]?.user?.token];
  if (typeof server !== 'string' || typeof authority !== 'string' || typeof token !== 'string') return undefined;
  return { server, authorityCert: Buffer.from(authority, 'base64').toString(), token };
}
