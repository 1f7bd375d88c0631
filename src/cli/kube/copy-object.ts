import { type KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { collectionPath } from './copied-resources.js';

/** Attempts at replacing a lease that its holder keeps renewing. */
const MAX_TRIES = 5;

export type OnConflict = 'skip' | 'replace';
export type Copied = 'created' | 'replaced' | 'skipped';

export interface CopyOptions {
  readonly version: string;
  readonly resource: string;
  readonly onConflict: OnConflict;
  readonly dryRun: boolean;
}

/** Creates an object and, if missing, its namespace; an existing object is left alone or replaced. */
export async function copyObject(client: KubeClient, object: KubeObject, options: CopyOptions): Promise<Copied> {
  const { version, resource, dryRun } = options;
  const query = dryRun ? '?dryRun=All' : '';
  const { namespace = '', name = '' } = object.metadata ?? {};
  const collection = collectionPath(version, resource, namespace);
  let answer = await client.ask('POST', `${collection}${query}`, object);
  if (answer.status === 404 && (await createNamespace(client, namespace, dryRun))) {
    if (dryRun) return 'created';
    answer = await client.ask('POST', `${collection}${query}`, object);
  }
  if (answer.status === 201) return 'created';
  if (answer.status !== 409) throw refusal(`cannot create ${resource} ${namespace}/${name}`, answer);
  return options.onConflict === 'skip' ? 'skipped' : replace(client, `${collection}/${encodeURIComponent(name)}`, object, query);
}

async function createNamespace(client: KubeClient, name: string, dryRun: boolean): Promise<boolean> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const answer = await client.ask('POST', `/api/v1/namespaces${dryRun ? '?dryRun=All' : ''}`, namespace);
  if (answer.status !== 201 && answer.status !== 409) throw refusal(`cannot create the namespace ${name}`, answer);
  return true;
}

/** Overwrites concurrent changes. */
async function replace(client: KubeClient, path: string, object: KubeObject, query: string): Promise<Copied> {
  for (let tries = 1; ; tries++) {
    const { body } = await client.ask('GET', path);
    const resourceVersion = body.metadata?.resourceVersion;
    const answer = await client.ask('PUT', `${path}${query}`, {
      ...object,
      metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    });
    if (answer.status === 200 || answer.status === 201) return 'replaced';
    if (answer.status !== 409 || tries === MAX_TRIES) throw refusal(`cannot replace ${path}`, answer);
  }
}
