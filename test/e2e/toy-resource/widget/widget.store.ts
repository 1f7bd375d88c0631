import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../../src/registry/generic-resource-store.js';
import { StoreServices } from '../../../../src/registry/store-services.js';
import type { Widget } from './widget.resource.js';
import { widgetDefinition } from './widget.resource.js';

@Injectable()
export class WidgetStore extends GenericResourceStore<Widget> {
  static readonly definition = widgetDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(widgetDefinition));
  }
}
