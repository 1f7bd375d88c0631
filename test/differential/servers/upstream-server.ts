import type { UpstreamPrograms } from '../../../bench/contenders/find-upstream.js';
import { type Upstream, startUpstream } from '../../upstream/start-upstream.js';
import { TOKEN_LINES } from '../identities.js';

export interface StartedServer {
  readonly url: string;
  /** The addresses of further servers with the same objects. */
  readonly replicas?: readonly string[];
  readonly stop: () => Promise<void>;
}

/** A kube-apiserver with the versions and gates that this project serves, and the tool's tokens or others. `flags` come last. */
export function startComparedUpstream(programs: UpstreamPrograms, tokens = TOKEN_LINES, flags: readonly string[] = []): Promise<Upstream> {
  const served = [
    '--runtime-config=coordination.k8s.io/v1beta1=true,coordination.k8s.io/v1alpha2=true',
    '--feature-gates=CoordinatedLeaderElection=true,ShardedListAndWatch=true,CBORServingAndStorage=true',
  ];
  return startUpstream({ programs, tokens, flags: () => [...served, ...flags] });
}
