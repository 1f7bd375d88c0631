import type { Upstream } from '../../upstream/start-upstream.js';
import { send } from './prepare-server.js';

/**
 * Takes a kube-apiserver past the compaction of its first versions, which this server never had: etcd forgets them, and after a restart so
 * have the caches.
 */
export async function passCompaction(upstream: Upstream): Promise<void> {
  const { url, etcdPort } = upstream;
  const { json } = await send(url, '/api/v1/namespaces', {});
  const { resourceVersion = '1' } = json.metadata as { resourceVersion?: string };
  const answer = await fetch(`http://127.0.0.1:${etcdPort}/v3/kv/compaction`, {
    method: 'POST',
    body: JSON.stringify({ revision: resourceVersion, physical: true }),
  });
  if (!answer.ok) throw new Error(`etcd answered ${answer.status} to a compaction: ${await answer.text()}`);
  await upstream.restart();
}
