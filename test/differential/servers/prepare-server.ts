import { eventually } from '../../support/eventually.js';
import { type Answer, type Ask, ask } from '../../support/http-client.js';
import { POLICY, tokenOf } from '../identities.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const ELECTION_NAME = 'leader-election-controller';
const ELECTION = `${LEASES}/${ELECTION_NAME}`;
/** How long the holder of a lease keeps trying to renew it. */
const QUIET_MS = 12_000;

/**
 * Grants the tool's users their rights, waits until these take effect, and takes the lease away from the controller of coordinated leader
 * election, which would otherwise write Leases by itself. Where the controller does not run, the lease is created, so that every server has one
 * outside the namespaces of the questions.
 */
export async function prepareServer(url: string): Promise<void> {
  for (const [path, object] of POLICY) {
    const { status, text } = await send(url, path, { method: 'POST', body: object });
    if (status !== 201 && status !== 409) throw new Error(`${url}${path} answered ${status}: ${text}`);
  }
  await eventually(async () => (await send(url, '/api/v1/namespaces', { headers: bearer('reader') })).status === 200);
  await takeElection(url);
}

async function takeElection(url: string): Promise<void> {
  const spec = {
    holderIdentity: 'nobody',
    leaseDurationSeconds: 86_400,
    renewTime: '2099-01-01T00:00:00.000000Z',
    acquireTime: '2099-01-01T00:00:00.000000Z',
  };
  const headers = { 'content-type': 'application/merge-patch+json', ...bearer('admin') };
  const patch = () => send(url, ELECTION, { method: 'PATCH', headers, body: JSON.stringify({ spec }) });
  const held = async () => holderOf((await send(url, ELECTION, {})).json) === 'nobody';
  if (await held()) return;
  if ((await patch()).status === 404) {
    const { status, text } = await send(url, LEASES, { method: 'POST', body: { metadata: { name: ELECTION_NAME }, spec } });
    if (status !== 201) throw new Error(`${url}${LEASES} answered ${status}: ${text}`);
    return;
  }
  let quietSince = Date.now();
  await eventually(async () => {
    if (await held()) return Date.now() - quietSince > QUIET_MS;
    quietSince = Date.now();
    await patch();
    return false;
  });
}

function holderOf(lease: unknown): string | undefined {
  return (lease as { spec?: { holderIdentity?: string } }).spec?.holderIdentity;
}

export function send(url: string, path: string, { headers = bearer('admin'), ...request }: Ask): Promise<Answer> {
  return ask(`${url}${path}`, { ...request, headers });
}

function bearer(identity: 'admin' | 'reader'): Record<string, string> {
  return { authorization: `Bearer ${tokenOf(identity) ?? ''}` };
}
