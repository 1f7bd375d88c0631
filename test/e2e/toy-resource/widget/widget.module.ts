import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../../src/registry/registry.module.js';
import { serves } from '../../../../src/registry/serves.js';
import { storeOf } from '../../../../src/registry/store-of.js';
import { widgetDefinition, widgetV1 } from './widget.resource.js';

class WidgetStore extends storeOf(widgetDefinition) {}

@Module({ imports: [RegistryModule], providers: [WidgetStore, serves(WidgetStore, widgetV1)] })
export class WidgetModule {}
