import { writePrivateFile } from './private-file.js';

export interface KubeconfigOptions {
  readonly server: string;
  /** PEM of what the client trusts. */
  readonly authorityCert: string;
  readonly token: string;
}

/** Writes a kubeconfig (mode 0600) with one cluster, one user and one context; JSON is YAML. */
export function writeAdminKubeconfig(file: string, options: KubeconfigOptions): void {
  const name = 'coordination-apiserver';
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server: options.server, 'certificate-authority-data': Buffer.from(options.authorityCert).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token: options.token } }],
    contexts: [{ name, context: { cluster: name, user: 'admin', namespace: 'default' } }],
    'current-context': name,
  };
  writePrivateFile(file, JSON.stringify(content, null, 2) + '\n');
}
