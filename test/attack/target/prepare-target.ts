import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaseAnswer, LeaseSession, leaseText } from '../../load/lease-session.js';
import { ADMIN_TOKEN, ATTACKED_NAMESPACE, HOLDER_TOKEN, INNOCENT_NAMESPACE, leasesOf, VICTIM_LEASE } from '../identities.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces';
const CORE_GROUP = { apiGroups: [''], resources: ['events'], verbs: ['*'] };
const LEASE_RULES = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }, CORE_GROUP];
/** Enough for lists of about half a megabyte. */
const DEFAULT_LEASES = 500;
const NOTE_BYTES = 500;
const BATCH = 50;
const RIGHTS_MS = 20_000;

/** Creates the namespaces, rights and leases that attackers and innocent clients need; existing ones are kept. */
export async function prepareTarget(url: string, leases = DEFAULT_LEASES): Promise<void> {
  using admin = new LeaseSession(url, ADMIN_TOKEN);
  await namespaceOf(admin, INNOCENT_NAMESPACE, 'holder');
  await namespaceOf(admin, ATTACKED_NAMESPACE, 'tenant');
  await create(admin, leasesOf(INNOCENT_NAMESPACE), leaseText(VICTIM_LEASE));
  for (let start = 0; start < leases; start += BATCH) {
    const names = Array.from({ length: BATCH }, (_, at) => `lease-${start + at}`);
    await Promise.all(names.map((name) => create(admin, leasesOf(ATTACKED_NAMESPACE), largeLease(name))));
  }
  await rightsOfHolder(url);
}

async function namespaceOf(admin: LeaseSession, namespace: string, user: string): Promise<void> {
  await create(admin, '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  await create(admin, `${RBAC}/${namespace}/roles`, JSON.stringify({ metadata: { name: user }, rules: LEASE_RULES }));
  const binding = {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
  await create(admin, `${RBAC}/${namespace}/rolebindings`, JSON.stringify(binding));
}

function largeLease(name: string): string {
  const lease = JSON.parse(leaseText(name)) as { metadata: object };
  return JSON.stringify({ ...lease, metadata: { ...lease.metadata, annotations: { note: 'n'.repeat(NOTE_BYTES) } } });
}

async function create(admin: LeaseSession, path: string, body: string): Promise<LeaseAnswer> {
  const answer = await admin.send('POST', path, body);
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`POST ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
}

/** New rights take effect shortly after they were written. */
async function rightsOfHolder(url: string): Promise<void> {
  using holder = new LeaseSession(url, HOLDER_TOKEN);
  const until = Date.now() + RIGHTS_MS;
  for (;;) {
    const { status, text } = await holder.send('GET', `${leasesOf(INNOCENT_NAMESPACE)}/${VICTIM_LEASE}`);
    if (status === 200) return;
    if (Date.now() > until) throw new Error(`the innocent client may not read its lease: ${status} ${text}`);
    await sleep(200);
  }
}
