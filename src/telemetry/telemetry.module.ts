import { Module } from '@nestjs/common';
import { Lifecycle } from '../settings/lifecycle.js';
import { TelemetrySettings } from './telemetry.settings.js';
import { openTracing } from './tracing/open-tracing.js';
import type { Tracing } from './tracing/tracing.js';
import { TRACING } from './tracing/tracing.js';

const tracing = {
  provide: TRACING,
  inject: [TelemetrySettings, Lifecycle],
  useFactory: async (settings: TelemetrySettings, lifecycle: Lifecycle): Promise<Tracing | undefined> => {
    const opened = await openTracing(settings);
    if (opened) lifecycle.onStop(() => opened.close());
    return opened;
  },
};

/** Tracing. The logger and the metrics belong to the process and exist before Nest starts. */
@Module({ providers: [tracing], exports: [TRACING] })
export class TelemetryModule {}
