import { Setting } from '../settings/setting.js';
import type { LogFormat, LogLevel } from './logger.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];
const LOG_FORMATS = ['auto', 'text', 'json'];

/** Settings of logs and traces. */
export class TelemetrySettings {
  static readonly group = 'Logs and traces';

  @Setting({ kind: 'text', help: `Log level: ${LOG_LEVELS.join(', ')}.`, placeholder: 'level', values: LOG_LEVELS })
  logLevel: LogLevel = 'info';

  @Setting({
    kind: 'integer',
    help: 'Log verbosity as a number of klog: 4 or more is debug, 8 or more is trace; the more verbose of this and --log-level applies.',
    placeholder: 'number',
    min: 0,
  })
  v = 0;

  @Setting({
    kind: 'text',
    help: `Log format: ${LOG_FORMATS.join(', ')}; auto is text on a terminal and json elsewhere.`,
    placeholder: 'format',
    values: LOG_FORMATS,
  })
  loggingFormat: LogFormat = 'auto';

  @Setting({
    kind: 'text',
    help: 'An apiserver.config.k8s.io/v1 TracingConfiguration whose endpoint accepts OTLP over HTTP; without it, nothing is traced.',
  })
  tracingConfigFile = '';
}
