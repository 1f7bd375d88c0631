import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../../src/audit/event/audit-event.js';
import { WebhookBackend } from '../../../src/audit/backends/webhook-backend.js';
import { WebhookClient } from '../../../src/auth/webhook/webhook-client.js';
import { readKubeTarget } from '../../../src/kube/read-kube-target.js';
import { createAuthority, issueServingCertificate } from '../../../src/server/tls/certificate-authority.js';
import { startAnswering } from '../../support/answering-server.js';
import { forAllTests } from '../../support/for-tests.js';
import { kubeconfig as kubeconfigText } from '../../support/kubeconfig.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const EVENT: AuditEvent = {
  level: 'Metadata',
  auditID: 'id',
  stage: 'ResponseComplete',
  requestURI: '/',
  verb: 'get',
  user: {},
  requestReceivedTimestamp: 0,
  stageTimestamp: 0,
};

describe('the audit webhook', () => {
  const folder = scratchDirectory();
  let authority: string;
  let answers: number[];
  const received: { authorization?: string; type?: string; path?: string; body: string }[] = [];
  const lost: string[] = [];
  const failures = { failed: (_plugin: string, reason: string) => void lost.push(reason) };

  const server = forAllTests(async () => {
    const ca = await createAuthority(Date.now());
    authority = ca.cert;
    const tls = await issueServingCertificate(ca, { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now());
    return startAnswering((body, { headers: { authorization, 'content-type': type }, url }, response) => {
      received.push({ authorization, type, path: url, body });
      response.writeHead(answers.shift() ?? 200).end('ignored');
    }, tls);
  });
  beforeEach(() => {
    answers = [];
    received.length = 0;
    lost.length = 0;
  });

  function kubeconfig(user: object, cluster: object = { 'certificate-authority': 'ca.pem' }): string {
    const file = path.join(folder, 'webhook.kubeconfig');
    writeFileSync(path.join(folder, 'ca.pem'), authority);
    writeFileSync(path.join(folder, 'token'), 'from-file\n');
    writeFileSync(file, kubeconfigText({ server: `${server.url}/events?x=1`, ...cluster }, user));
    return file;
  }

  const backend = (file: string) => new WebhookBackend(new WebhookClient(readKubeTarget([file])), 1, failures);

  it.each([
    [{ token: 't1' }, 'Bearer t1'],
    [{ tokenFile: 'token', token: 'other' }, 'Bearer from-file'],
    [{ username: 'ann', password: 'secret' }, `Basic ${Buffer.from('ann:secret').toString('base64')}`],
    [{}, undefined],
  ])('receives events in a list, from the user %j', async (user, authorization) => {
    const webhook = backend(kubeconfig(user));
    expect(await webhook.process([EVENT, EVENT])).toBe(true);
    await webhook.close();
    expect(received).toEqual([{ authorization, type: 'application/json', path: '/events?x=1', body: expect.any(String) }]);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [{}, {}] });
  });

  it('is retried, whatever it answers', async () => {
    answers = [500, 404, 302, 429];
    const webhook = backend(kubeconfig({}));
    expect(await webhook.process([EVENT])).toBe(true);
    await webhook.close();
    expect(received).toHaveLength(5);
  });

  it('is given up after five attempts', async () => {
    answers = [500, 500, 500, 500, 500];
    const webhook = backend(kubeconfig({}));
    expect(await webhook.process([EVENT])).toBe(false);
    await webhook.close();
    expect(lost).toEqual(['the webhook responded with 500']);
  });

  it('is not trusted without the CA of the kubeconfig', async () => {
    const webhook = backend(kubeconfig({}, {}));
    expect(await webhook.process([EVENT])).toBe(false);
    await webhook.close();
    expect(received).toEqual([]);
    const careless = backend(kubeconfig({}, { 'insecure-skip-tls-verify': true }));
    expect(await careless.process([EVENT])).toBe(true);
    await careless.close();
  });

  it('does not delay a shutdown between attempts', async () => {
    answers = [500, 500];
    const webhook = new WebhookBackend(new WebhookClient(readKubeTarget([kubeconfig({})])), 3_600_000, failures);
    const sending = webhook.process([EVENT]);
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await webhook.close();
    expect(await sending).toBe(false);
  });

  it.each([
    ['[]', 'is not a kubeconfig'],
    ['', 'has no context ""'],
    ['{"contexts": []}', 'has no context ""'],
    ['{"contexts": [{"name": "a", "context": {"cluster": "b"}}]}', 'has no cluster "b"'],
    [
      '{"contexts": [{"name": "a", "context": {"cluster": "b"}}], "clusters": [{"name": "b", "cluster": {"server": "ftp://x"}}]}',
      'must be a URL',
    ],
  ])('cannot be configured by %s', (text, message) => {
    const file = path.join(folder, 'bad.kubeconfig');
    writeFileSync(file, text);
    expect(() => readKubeTarget([file])).toThrow(message);
  });
});
