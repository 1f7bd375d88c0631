import { generateKeyPairSync } from 'node:crypto';
import type { ServerSettings } from '../config/server-settings.js';
import { parseTracingConfig } from '../../telemetry/tracing/tracing.js';
import { createAccess } from '../../auth/access.js';
import { configuredWebhookClient } from '../../auth/webhook/webhook-client.js';
import { systemClock } from '../../telemetry/clock.js';
import { readGivenFile } from '../../settings/given-files.js';
import { readSecretsKey } from '../tls/sealing-key.js';
import { readGivenPair } from '../tls/certificate-authority.js';
import { readAuditPolicy } from '../../audit/open-auditor.js';
import type { LoadHttpApplication } from './http-application.js';

const UNWATCHED = { watch: (): void => undefined };

/**
 * Reads every file that the configuration names, and looks up what it says to serve, before anything starts, so that errors are reported at
 * once. Rejects with a StartError. The application is loaded only where it is needed for this.
 */
export async function checkSettings(config: ServerSettings, loadApplication: LoadHttpApplication): Promise<void> {
  checkFiles(config);
  if (config.runtimeConfig.length > 0) (await loadApplication()).checkRuntimeConfig(config.runtimeConfig);
}

function checkFiles(config: ServerSettings): void {
  if (config.tlsCertFile !== '') readGivenPair(config);
  if (config.secretsKeyFile !== '') readSecretsKey(config);
  if (config.tracingConfigFile !== '') parseTracingConfig(readGivenFile('--tracing-config-file', config.tracingConfigFile));
  readAuditPolicy(config);
  for (const [flag, file] of [
    ['--audit-webhook-config-file', config.auditWebhookConfigFile],
    ['--lease-expiry-webhook-config-file', config.leaseExpiryWebhookConfigFile],
  ] as const) {
    if (file !== '') configuredWebhookClient(flag, file);
  }
  createAccess({ config, secrets: { adminToken: 'of no use', serviceAccountKey: anyKey() }, files: UNWATCHED, now: systemClock });
}

/** A stand-in for the key that the database holds. */
function anyKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
