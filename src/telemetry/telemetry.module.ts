import { hostname } from 'node:os';
import { type Tracing, TRACING, parseTracingConfig } from './tracing/tracing.js';
import { TelemetrySettings } from './telemetry.settings.js';
import { readGivenFile } from '../settings/given-files.js';
import { PROGRAM_VERSION } from '../settings/program-files.js';
import { Module } from '@nestjs/common';
import { Lifecycle } from '../settings/lifecycle.js';

/** Opens tracing as configured by `--tracing-config-file`; undefined without the flag. Throws StartError. */
async function openTracing({ tracingConfigFile: file }: TelemetrySettings): Promise<Tracing | undefined> {
  if (file === '') return undefined;
  const config = parseTracingConfig(readGivenFile('--tracing-config-file', file));
  const { OpenTelemetryTracing } = await import('./tracing/open-telemetry-tracing.js');
  return new OpenTelemetryTracing({ ...config, version: PROGRAM_VERSION, instance: `${hostname()}-${process.pid}` });
}

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
