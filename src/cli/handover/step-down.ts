import { microTime } from '../../apimachinery/go/go-time.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import { type HandedLease, isHeld, leasePath } from './handed-lease.js';

const MAX_TRIES = 20;
/** Longer than the time within which a leader gives up (client-go's default: 10 s), or it would take the lease back. */
const DURATION_SECONDS = 15;
const HOLDER = 'coordination-apiserver-takeover';

/**
 * Makes the leader of an election end, so that its successor begins with new watches. False if nobody leads. A watch that kube-apiserver
 * opened before the takeover stays open and shows the leases of etcd, which no longer change: kube-controller-manager would consider every
 * node dead.
 */
export async function stepDown(server: KubeClient, election: string, now: () => number): Promise<boolean> {
  const [namespace = '', name = ''] = election.split('/');
  const path = leasePath({ metadata: { namespace, name } });
  for (let tries = 1; ; tries++) {
    const answer = await server.ask('GET', path);
    if (answer.status === 404) return false;
    if (answer.status !== 200) throw refusal(`cannot read the lease ${election}`, answer);
    const lease = answer.body as HandedLease;
    if (lease.spec?.holderIdentity === HOLDER || !isHeld(lease, now())) return lease.spec?.holderIdentity === HOLDER;
    const spec = takenOver(lease, now());
    const written = await server.ask('PUT', path, { ...lease, spec });
    if (written.status === 200) return true;
    if (written.status !== 409 || tries === MAX_TRIES) throw refusal(`cannot write the lease ${election}`, written);
  }
}

function takenOver({ spec }: HandedLease, nowMs: number): HandedLease['spec'] {
  const time = microTime(nowMs);
  return {
    ...spec,
    holderIdentity: HOLDER,
    leaseDurationSeconds: DURATION_SECONDS,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: (spec?.leaseTransitions ?? 0) + 1,
  };
}
