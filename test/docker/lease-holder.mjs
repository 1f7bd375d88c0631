import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Sends one request that trusts the kubeconfig's CA; with `token` false it omits the token. */
export function ask(kubeconfig, target, { method = 'GET', body, token = true, timeoutMs = 5_000 } = {}) {
  const { server, 'certificate-authority-data': ca } = kubeconfig.clusters[0].cluster;
  const headers = token ? { authorization: `Bearer ${kubeconfig.users[0].user.token}` } : {};
  if (body) headers['content-type'] = 'application/json';
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request(server + target, { method, headers, ca: Buffer.from(ca, 'base64'), agent: false, signal }, (response) => {
      let text = '';
      response.on('error', reject);
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    asked.on('error', reject);
    asked.end(body && JSON.stringify(body));
  });
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

/** Renews one lease continuously, like a leader, and counts renewals and failures. */
export class LeaseHolder {
  renewals = 0;
  /** Maximum number of consecutive failed attempts of one renewal. */
  worst = 0;
  /** The last state acknowledged by the server. */
  acknowledged;
  #kubeconfig;
  #path;
  #stopped = false;
  #running;

  constructor(kubeconfig, name) {
    this.#kubeconfig = kubeconfig;
    this.#path = `${LEASES}/${name}`;
    this.#running = this.#create(name).then(() => this.#renew());
  }

  async stop() {
    this.#stopped = true;
    await this.#running;
  }

  async stored() {
    const { text } = await ask(this.#kubeconfig, this.#path);
    return JSON.parse(text);
  }

  async #create(name) {
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: { holderIdentity: 'me' } };
    const { status, text } = await ask(this.#kubeconfig, LEASES, { method: 'POST', body });
    if (status !== 201) throw new Error(`creating the lease answered ${status}: ${text}`);
    this.acknowledged = JSON.parse(text);
  }

  async #renew() {
    let failed = 0;
    while (!this.#stopped) {
      const ok = await this.#attempt().catch(() => false);
      failed = ok ? 0 : failed + 1;
      this.worst = Math.max(this.worst, failed);
      await sleep(250);
    }
  }

  async #attempt() {
    const spec = { ...this.acknowledged.spec, renewTime: new Date().toISOString().replace('Z', '000Z') };
    const { status, text } = await ask(this.#kubeconfig, this.#path, { method: 'PUT', body: { ...this.acknowledged, spec } });
    if (status === 200) {
      this.acknowledged = JSON.parse(text);
      this.renewals += 1;
    } else if (status === 409) {
      // An attempt without a response may have taken effect; the holder reads the lease and continues.
      const current = await ask(this.#kubeconfig, this.#path);
      if (current.status === 200) this.acknowledged = JSON.parse(current.text);
    }
    return status === 200;
  }
}
