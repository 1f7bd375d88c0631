import { hostname } from 'node:os';
import type { Tracing } from '../../telemetry/tracing/tracing.js';
import type { ServerConfig } from '../config/server-config.js';
import { parseTracingConfig } from '../config/tracing-config.js';
import { readGivenFile } from './read-given-file.js';
import { PROGRAM_VERSION } from './version.js';

/** Tracing as `--tracing-config-file` says; undefined without. Throws StartError. */
export async function startTracing({ tracingConfigFile: file }: ServerConfig): Promise<Tracing | undefined> {
  if (file === '') return undefined;
  const config = parseTracingConfig(readGivenFile('--tracing-config-file', file));
  const { OpenTelemetryTracing } = await import('../../telemetry/tracing/open-telemetry-tracing.js');
  return new OpenTelemetryTracing({ ...config, version: PROGRAM_VERSION, instance: `${hostname()}-${process.pid}` });
}
