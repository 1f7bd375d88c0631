import { Module } from '@nestjs/common';
import { WidgetModule } from './widget/widget.module.js';

/** A group with a single resource, which is a folder and one line here. */
@Module({ imports: [WidgetModule] })
export class ToysModule {}
