import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { wholeText } from '../../../kube-client/src/coordination-client.js';
import { serverConnection, serverTransport } from './server-connection.js';

{
  const { HOME, KUBECONFIG } = process.env;
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'server-connection-'));
    Object.assign(process.env, { HOME: home, KUBECONFIG: '' });
  });
  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
    Object.assign(process.env, { HOME, KUBECONFIG: KUBECONFIG ?? '' });
  });

  function kubeconfig(name: string, cluster: object, user: object): string {
    const file = path.join(home, name);
    const content = {
      clusters: [{ name: 'c', cluster: { server: `https://${name}`, ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(file, JSON.stringify(content));
    return file;
  }

  it('reads no file that the kubeconfig of a data directory names, and runs no plugin', async () => {
    const secret = path.join(home, 'secret');
    writeFileSync(secret, 'secret');
    const user = { tokenFile: secret, 'client-key': secret, exec: { command: '/bin/false', apiVersion: 'v1' } };
    const connection = await serverConnection({ ownKubeconfig: kubeconfig('hostile', { 'certificate-authority': secret }, user) });
    expect(connection).toMatchObject({ server: 'https://hostile', ca: undefined, token: undefined });
    expect(connection).not.toHaveProperty('key');
    expect(await connection.requestOptions?.()).not.toHaveProperty('headers');
  });

  it('waits for a plugin before the first request, whose time is short', async () => {
    const file = path.join(home, 'issued');
    const args = ['-c', `sleep 0.1; touch ${file}; echo '{"kind":"ExecCredential","status":{"token":"t"}}'`];
    const connection = await serverConnection({ kubeconfig: kubeconfig('slow', {}, { exec: { command: '/bin/sh', args } }) });
    expect(existsSync(file)).toBe(true);
    expect(await connection.requestOptions?.()).toMatchObject({ headers: { authorization: 'Bearer t' } });
  });
}

{
  const signal = new AbortController().signal;

  /** Each token is refused that is not the current one. */
  let current = '';
  let server: http.Server;
  let url: string;
  beforeAll(async () => {
    server = http.createServer(({ headers }, response) => {
      response.writeHead(headers.authorization === `Bearer ${current}` ? 200 : 401).end(headers.authorization);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Asks with a token, and after a refusal with the next one, if there is one. */
  async function ask(...tokens: string[]): Promise<[status: number, text: string]> {
    let at = 0;
    const refused = () => at < tokens.length - 1 && ++at > 0;
    const send = serverTransport({ server: url, namespace: 'default', token: () => tokens[at] ?? '', refused });
    const response = await send({ method: 'GET', path: '/', signal });
    return [response.status, await wholeText(response)];
  }

  it('asks again, once, where there may be other credentials', async () => {
    current = 'b';
    expect(await ask('b', 'c')).toEqual([200, 'Bearer b']);
    expect(await ask('a', 'b')).toEqual([200, 'Bearer b']);
    expect(await ask('a')).toEqual([401, 'Bearer a']);
    expect(await ask('a', 'a', 'b')).toEqual([401, 'Bearer a']);
  });
}
