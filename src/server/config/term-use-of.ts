import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import { RuntimeConfig } from '../../registry/runtime-config.js';
import { StartError } from '../../settings/start-error.js';
import { TermUse } from '../../storage/term-change.js';
import type { ServerSettings } from './server-settings.js';

/** Terms are watched where they are recorded, and either served or the reason of announcements. Throws StartError. */
export function termUseOf(settings: ServerSettings): TermUse {
  const isServed = new RuntimeConfig(settings.runtimeConfig).apply(leaseTermDefinition).versions.length > 0;
  const isAnnounced = settings.leaseExpiryEvents || settings.leaseExpiryWebhookConfigFile !== '';
  if (isAnnounced && settings.termHistory === 0) {
    throw new StartError('--lease-expiry-events and --lease-expiry-webhook-config-file announce terms: --term-history must not be 0');
  }
  return new TermUse(settings.termHistory > 0 && (isServed || isAnnounced));
}
