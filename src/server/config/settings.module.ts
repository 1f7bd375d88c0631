import { type DynamicModule, Global, Module } from '@nestjs/common';
import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import { RuntimeConfig } from '../../registry/runtime-config.js';
import { StartError } from '../../settings/start-error.js';
import { TermUse } from '../../storage/term-change.js';
import { type ServerSettings, SETTINGS_CLASSES, settingsFor } from './server-settings.js';

/** Provides each layer with the instance of its settings class, and with what follows from those of other layers. */
@Global()
@Module({})
export class SettingsModule {
  static of(settings: ServerSettings): DynamicModule {
    const providers = SETTINGS_CLASSES.map((layer) => ({ provide: layer, useValue: settingsFor(layer, settings) }));
    const termUse = { provide: TermUse, useFactory: () => termUseOf(settings) };
    return { module: SettingsModule, providers: [...providers, termUse], exports: [...SETTINGS_CLASSES, TermUse] };
  }
}

/** Terms are watched where they are recorded, and either served or the reason of announcements. Throws StartError. */
export function termUseOf(settings: ServerSettings): TermUse {
  const isServed = new RuntimeConfig(settings.runtimeConfig).apply(leaseTermDefinition).versions.length > 0;
  const isAnnounced = settings.leaseExpiryEvents || settings.leaseExpiryWebhookConfigFile !== '';
  if (isAnnounced && settings.termHistory === 0) {
    throw new StartError('--lease-expiry-events and --lease-expiry-webhook-config-file announce terms: --term-history must not be 0');
  }
  return new TermUse(settings.termHistory > 0 && (isServed || isAnnounced));
}
