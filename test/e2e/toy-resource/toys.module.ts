import { Module } from '@nestjs/common';
import { WidgetV1Module } from './widget/v1/widget-v1.module.js';

/** A group with a single resource, which is a folder and one line here. */
@Module({ imports: [WidgetV1Module] })
export class ToysModule {}
