import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../../src/registry/registry.module.js';
import { WidgetStore } from './widget.store.js';

@Module({ imports: [RegistryModule], providers: [WidgetStore], exports: [WidgetStore] })
export class WidgetModule {}
