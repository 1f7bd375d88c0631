import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ServerProcess } from '../../../../test/support/server-process.js';

export interface ApiAccess {
  readonly server: string;
  readonly token: string;
  /** PEM. */
  readonly ca: string;
  readonly caFile: string;
}

/** The data with which a test reaches a server as its administrator. */
export async function apiAccess({ url, dataDir }: ServerProcess): Promise<ApiAccess> {
  const kubeconfig = await readFile(path.join(dataDir, 'admin.kubeconfig'), 'utf8');
  const data = /certificate-authority-data"?: ?"?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1];
  if (data === undefined) throw new Error('the admin kubeconfig names no certificate authority');
  const ca = Buffer.from(data, 'base64').toString('utf8');
  const caFile = path.join(dataDir, 'test-ca.crt');
  await writeFile(caFile, ca);
  return { server: url, token: 'admin-token', ca, caFile };
}
