// Writes the OpenAPI documents of the server below openapi/ (or another directory), or with --check reports differences
// and exits with code 1. The documents are those that the server serves; nothing in them depends on the machine.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Test } from '@nestjs/testing';
import { AppModule } from '../src/app.module.js';
import { OpenApiDocuments } from '../src/endpoints/openapi/openapi-documents.js';
import { defaultSettings } from '../src/server/config/server-settings.js';
import { createAuthority, issueServingCertificate } from '../src/server/tls/certificate-authority.js';
import { LoadedSecrets } from '../src/server/tls/load-secrets.js';
import { Lifecycle } from '../src/settings/lifecycle.js';
import { MemoryStore } from '../src/storage/memory/memory-store.js';
import { DatabaseInUse, Storage } from '../src/storage/storage.js';
import { createLogger } from '../src/telemetry/logger.js';
import { createServerMetrics } from '../src/telemetry/metrics/metric-registry.js';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const directory = positionals[0] ?? path.join(import.meta.dirname, '../openapi');

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const serviceAccountKey = privateKey.export({ type: 'pkcs8', format: 'pem' });
const now = Date.now();
const authority = await createAuthority(now);
const serving = await issueServingCertificate(authority, { dns: ['localhost'], ips: [] }, now);
const logger = createLogger({ logLevel: 'error' });
const lifecycle = new Lifecycle(logger);
const parts = { database: { url: '', isEmbedded: true }, lifecycle, logger, metrics: createServerMetrics() };
const application = await Test.createTestingModule({ imports: [AppModule.of(defaultSettings(), parts)] })
  .overrideProvider(DatabaseInUse)
  .useValue({})
  .overrideProvider(Storage)
  .useValue({ objects: new MemoryStore(), healthChecks: [], sizes: () => undefined })
  .overrideProvider(LoadedSecrets)
  .useValue({ authority, serving, adminToken: '', serviceAccountKey })
  .compile();
const documents = application.get(OpenApiDocuments);
const files = new Map([
  ['swagger.json', documents.readers],
  ...[...documents.v3].map(([name, document]) => [path.join('v3', `${name}.json`), document]),
]);
const texts = new Map([...files].map(([name, document]) => [name, `${JSON.stringify(document.value, undefined, 2)}\n`]));

if (values.check) check();
else write();
await lifecycle.stop();

function check() {
  const present = existing();
  const stale = [...texts].filter(([name, text]) => !present.includes(name) || readFileSync(path.join(directory, name), 'utf8') !== text);
  const wrong = [...stale.map(([name]) => name), ...present.filter((name) => !texts.has(name))];
  if (wrong.length === 0) return;
  process.stderr.write(`openapi/ differs from the documents that the server serves; run "npm run sync": ${wrong.join(', ')}\n`);
  process.exit(1);
}

function write() {
  for (const name of existing()) if (!texts.has(name)) rmSync(path.join(directory, name));
  for (const [name, text] of texts) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function existing() {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  } catch {
    return [];
  }
}
