import { hostname } from 'node:os';
import type { Tracing } from './tracing.js';
import type { TelemetrySettings } from '../telemetry.settings.js';
import { parseTracingConfig } from './tracing-config.js';
import { readGivenFile } from '../../settings/read-given-file.js';
import { PROGRAM_VERSION } from '../../settings/program-version.js';

/** Opens tracing as configured by `--tracing-config-file`; undefined without the flag. Throws StartError. */
export async function openTracing({ tracingConfigFile: file }: TelemetrySettings): Promise<Tracing | undefined> {
  if (file === '') return undefined;
  const config = parseTracingConfig(readGivenFile('--tracing-config-file', file));
  const { OpenTelemetryTracing } = await import('./open-telemetry-tracing.js');
  return new OpenTelemetryTracing({ ...config, version: PROGRAM_VERSION, instance: `${hostname()}-${process.pid}` });
}
