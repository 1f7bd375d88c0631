import { Module } from '@nestjs/common';
import { serves } from '../../../../../src/registry/serves.js';
import { WidgetModule } from '../widget.module.js';
import { widgetV1 } from '../widget.resource.js';
import { WidgetStore } from '../widget.store.js';

@Module({ imports: [WidgetModule], providers: [serves(WidgetStore, widgetV1)] })
export class WidgetV1Module {}
