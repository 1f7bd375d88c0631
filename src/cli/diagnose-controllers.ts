import { type Lease, leaseExpiry } from '../apis/coordination/lease/lease.schema.js';
import { LEADER_ELECTION } from '../controllers/machinery/declared-controller.js';
import { type KubeClient, refusal } from '../kube/kube-client.js';
import type { Diagnosis } from '../storage/maintenance/diagnosis/diagnosis.js';

const CHECK = { check: 'controllers' };
const NAMESPACE = 'kube-system';
/** The first is theirs behind a cluster, where the other is kube-apiserver's own. */
const NAMES = ['coordination-apiserver', LEADER_ELECTION];
/** A host's name and a UUID. */
const OF_SERVER = /_[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Whether this is the lease of the servers' elected controllers. */
export function isOfControllers(namespace: string, name: string): boolean {
  return namespace === NAMESPACE && NAMES.includes(name);
}

/** Whether a server runs the elected controllers. The one asked knows only of itself; of the others, their lease tells. `now` is the local clock. */
export async function diagnoseControllers(client: KubeClient, now: number): Promise<Diagnosis> {
  const { status, text } = await client.askText('/metrics');
  if (status !== 200) return { ...CHECK, state: 'warning', detail: `unknown: /metrics answers ${status}` };
  if (/^leader_election_master_status\{.*\} 1$/m.test(text)) {
    return { ...CHECK, state: 'ok', detail: 'the server that was asked runs them' };
  }
  const lease = await leaseOf(client);
  const holder = lease?.spec?.holderIdentity;
  if (!holder) return { ...CHECK, state: 'problem', detail: 'no server runs the elected ones: nobody holds their lease' };
  const where = `the lease ${lease.metadata.name} in ${NAMESPACE}`;
  if ((leaseExpiry(lease, 'end') ?? Infinity) <= now) {
    return { ...CHECK, state: 'problem', detail: `no server runs the elected ones: ${holder} held ${where}, and nobody took it` };
  }
  if (OF_SERVER.test(holder)) return { ...CHECK, state: 'ok', detail: `${holder}, by its name another server, runs them` };
  const line = `kubectl delete lease ${lease.metadata.name} -n ${NAMESPACE}`;
  return {
    ...CHECK,
    state: 'problem',
    detail: `no server runs the elected ones: ${holder} has ${where}, and its name is none of a server: run "${line}"`,
  };
}

async function leaseOf(client: KubeClient): Promise<Lease | undefined> {
  for (const name of NAMES) {
    const answer = await client.ask('GET', `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${name}`);
    if (answer.status === 200) return answer.body as Lease;
    if (answer.status !== 404) throw refusal(`cannot read the lease ${name}`, answer);
  }
  return undefined;
}
