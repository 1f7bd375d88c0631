import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { apiAccess } from '../../packages/leader-election/test/support/api-access.js';
import { authority, clientCertificate } from '../support/certificates.js';
import { ask } from '../support/http-client.js';
import type { ServerProcess } from '../support/server-process.js';
import { startServerProcess } from '../support/server-process.js';
import type { ProgramResult } from './run-program.js';
import { mustRun, runProgram } from './run-program.js';
import { describeWith, TERRAFORM } from './toolchain.js';

/** Keeps one state, as the storage of which docs/locks.md says that it is elsewhere. */
function stateServer(): Promise<Server> {
  let state: Buffer | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'POST') state = Buffer.concat(chunks);
      response.statusCode = request.method === 'GET' && !state ? 404 : 200;
      response.end(request.method === 'GET' ? state : undefined);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describeWith([TERRAFORM], 'Terraform with its lock here and its state elsewhere', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'terraform-'));
  let states: Server;
  let server: ServerProcess;
  let env: NodeJS.ProcessEnv;
  let lock: string;
  const terraform = (...args: string[]): Promise<ProgramResult> => runProgram('terraform', [...args, '-no-color'], { cwd: folder, env });
  const holder = async (): Promise<unknown> => (await ask(lock.replace('/lock', ''))).json['spec'];

  beforeAll(async () => {
    const ca = await authority('terraform clients');
    const client = await clientCertificate(ca, 'CN=me,O=system:masters');
    const caFile = path.join(folder, 'clients.crt');
    writeFileSync(caFile, ca.cert);
    [states, server] = await Promise.all([stateServer(), startServerProcess({ flags: [`--client-ca-file=${caFile}`] })]);
    lock = `${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases/production/lock`;
    const backend = {
      address: `http://127.0.0.1:${(states.address() as AddressInfo).port}/`,
      ...{ lock_address: lock, unlock_address: lock, lock_method: 'PUT', unlock_method: 'DELETE' },
    };
    const settings = { terraform: { backend: { http: backend } }, resource: { terraform_data: { x: { input: 'x' } } } };
    writeFileSync(path.join(folder, 'main.tf.json'), JSON.stringify(settings));
    env = {
      CHECKPOINT_DISABLE: '1',
      TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: (await apiAccess(server)).ca,
      TF_HTTP_CLIENT_CERTIFICATE_PEM: client.cert,
      TF_HTTP_CLIENT_PRIVATE_KEY_PEM: client.key,
    };
    await mustRun('terraform', ['init'], { cwd: folder, env });
  }, 120_000);
  afterAll(async () => {
    states.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('applies under the lock, is refused while somebody else has it, and forces the lock open', async () => {
    const applied = await terraform('apply', '-auto-approve');
    expect([applied.stdout + applied.stderr, applied.code]).toEqual([expect.stringContaining('Apply complete!'), 0]);
    expect(await holder()).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });

    const id = '01234567-89ab-cdef-0123-456789abcdef';
    await ask(lock, { method: 'PUT', body: { ID: id, Operation: 'OperationTypeApply', Who: 'somebody@elsewhere', Version: '1.11.4' } });
    const refused = await terraform('apply', '-auto-approve');
    expect(refused.code).toBe(1);
    // it shows itself as the holder, and of the real one the ID
    expect(refused.stderr).toContain(`ID=${id}`);
    expect(await holder()).toMatchObject({ holderIdentity: `somebody@elsewhere_${id}` });

    expect((await terraform('force-unlock', '-force', id)).code).toBe(0);
    expect(await holder()).toMatchObject({ holderIdentity: '' });
    expect((await terraform('destroy', '-auto-approve')).code).toBe(0);
  }, 180_000);
});
