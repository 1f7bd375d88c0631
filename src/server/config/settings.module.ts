import type { DynamicModule } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import type { ServerSettings } from './server-settings.js';
import { SETTINGS_CLASSES, settingsFor } from './server-settings.js';

/** Provides each layer with the instance of its settings class. */
@Global()
@Module({})
export class SettingsModule {
  static of(settings: ServerSettings): DynamicModule {
    const providers = SETTINGS_CLASSES.map((layer) => ({ provide: layer, useValue: settingsFor(layer, settings) }));
    return { module: SettingsModule, providers, exports: [...SETTINGS_CLASSES] };
  }
}
