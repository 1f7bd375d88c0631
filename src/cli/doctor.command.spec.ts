import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createServerSecrets } from '../server/tls/server-secrets.js';
import { diagnoseCertificates } from './doctor.command.js';

const DAY_MS = 86_400_000;
const dir = mkdtempSync(path.join(tmpdir(), 'certificates-'));
afterAll(() => rmSync(dir, { recursive: true }));

test("a certificate that ends soon is said with its remedy, which is a start for the server's own", async () => {
  const now = Date.now();
  expect(await diagnoseCertificates(dir)).toMatchObject([{ check: 'certificates', state: 'ok' }]);
  const { authority, serving } = await createServerSecrets({ dns: ['localhost'], ips: [] }, now);
  writeFileSync(path.join(dir, 'ca.crt'), authority.cert);
  writeFileSync(path.join(dir, 'apiserver.crt'), serving.cert);
  const told = async (days: number) =>
    (await diagnoseCertificates(dir, now + (days - 0.5) * DAY_MS)).map(({ state, detail }) => [state, detail]);
  expect((await told(1))[0]).toEqual(['ok', 'expires in 729 days']);
  expect((await told(720))[0]).toEqual(['warning', 'expires in 10 days: restart the server, which issues a new one']);
  expect(await told(740)).toEqual([
    ['problem', expect.stringMatching(/^expired on \S+Z; restart the server, which makes it again$/)],
    ['ok', 'expires in 2910 days'],
  ]);
  expect(await told(-1)).toEqual([
    ['problem', expect.stringMatching(/^is not valid before \S+Z: the clock .*; restart the server, which makes it again$/)],
    ['problem', expect.stringMatching(/^is not valid before .*, which makes it again, and give clients the new kubeconfig$/)],
  ]);
  writeFileSync(path.join(dir, 'apiserver.crt'), 'garbage');
  expect(await diagnoseCertificates(dir)).toEqual([
    {
      check: 'certificates',
      state: 'problem',
      detail: expect.stringMatching(
        /^cannot read the certificate \/.*\/apiserver.crt: [^\n]+: stop the server, remove it and apiserver.key, and/,
      ),
    },
  ]);
});
