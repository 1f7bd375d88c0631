import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TermUse } from '../../storage/term-change.js';
import { type ServerSettings, SETTINGS_CLASSES, settingsFor } from './server-settings.js';
import { termUseOf } from './term-use-of.js';

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
