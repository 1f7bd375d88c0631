import { type AuditLogFormat, AUDIT_LOG_FORMATS } from './backends/log-backend.js';
import { Setting } from '../settings/setting.js';

const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];

const MODE_HELP =
  'batch does not delay requests, blocking makes them wait for it, blocking-strict also rejects requests that cannot be recorded.';

/** Settings of auditing. Names and defaults are kube-apiserver's. */
export class AuditSettings {
  static readonly group = 'Audit';

  @Setting({
    kind: 'text',
    help: 'An audit.k8s.io/v1 Policy that says which requests are recorded, and in how much detail (default: the one in docs/audit.md).',
  })
  auditPolicyFile = '';

  @Setting({ kind: 'text', help: 'File for audit events, one per line; - is stdout.' })
  auditLogPath = '';

  @Setting({
    kind: 'text',
    help: `Format of the audit log: ${AUDIT_LOG_FORMATS.join(', ')}.`,
    placeholder: 'format',
    values: AUDIT_LOG_FORMATS,
  })
  auditLogFormat: AuditLogFormat = 'json';

  @Setting({
    kind: 'integer',
    help: 'Size in megabytes at which the audit log is rotated; 0 never rotates it.',
    placeholder: 'megabytes',
    min: 0,
  })
  auditLogMaxsize = 100;

  @Setting({ kind: 'integer', help: 'Days to keep rotated audit logs; 0 sets no limit.', placeholder: 'days', min: 0 })
  auditLogMaxage = 366;

  @Setting({ kind: 'integer', help: 'How many rotated audit logs to keep; 0 sets no limit.', min: 0 })
  auditLogMaxbackup = 100;

  @Setting({ kind: 'boolean', help: 'Compresses rotated audit logs with gzip.' })
  auditLogCompress = false;

  @Setting({ kind: 'text', help: `How events are written to the audit log: ${MODE_HELP}`, placeholder: 'mode', values: AUDIT_MODES })
  auditLogMode: AuditMode = 'blocking';

  @Setting({ kind: 'integer', help: 'How many events may wait for the audit log in batch mode; further ones are dropped.', min: 1 })
  auditLogBatchBufferSize = 10_000;

  @Setting({ kind: 'integer', help: 'Largest number of events per write in batch mode.', min: 1 })
  auditLogBatchMaxSize = 1;

  @Setting({ kind: 'duration', help: 'How long an event may wait in batch mode for others to be written with it.' })
  auditLogBatchMaxWait = 0;

  @Setting({ kind: 'boolean', help: 'Truncates events that are too large for the audit log, or drops them.' })
  auditLogTruncateEnabled = false;

  @Setting({ kind: 'integer', help: 'Size in bytes above which events for the audit log are truncated.', placeholder: 'bytes', min: 1 })
  auditLogTruncateMaxEventSize = 102_400;

  @Setting({ kind: 'integer', help: 'Size in bytes above which batches for the audit log are split.', placeholder: 'bytes', min: 1 })
  auditLogTruncateMaxBatchSize = 10_485_760;

  @Setting({ kind: 'text', help: 'Kubeconfig of the webhook that receives audit events.' })
  auditWebhookConfigFile = '';

  @Setting({ kind: 'duration', help: 'Pause after the first failure of an audit-webhook call; it grows with each further one.' })
  auditWebhookInitialBackoff = 10_000;

  @Setting({ kind: 'text', help: `How events are sent to the audit webhook: ${MODE_HELP}`, placeholder: 'mode', values: AUDIT_MODES })
  auditWebhookMode: AuditMode = 'batch';

  @Setting({ kind: 'integer', help: 'How many events may wait for the audit webhook in batch mode; further ones are dropped.', min: 1 })
  auditWebhookBatchBufferSize = 10_000;

  @Setting({ kind: 'integer', help: 'Largest number of events per audit-webhook call in batch mode.', min: 1 })
  auditWebhookBatchMaxSize = 400;

  @Setting({ kind: 'duration', help: 'How long an event may wait in batch mode for others to be sent with it.' })
  auditWebhookBatchMaxWait = 30_000;

  @Setting({ kind: 'boolean', help: 'Limits the audit-webhook calls per second in batch mode.' })
  auditWebhookBatchThrottleEnable = true;

  @Setting({ kind: 'integer', help: 'Average audit-webhook calls per second.', placeholder: 'calls', min: 1 })
  auditWebhookBatchThrottleQps = 10;

  @Setting({ kind: 'integer', help: 'Most audit-webhook calls in a burst.', placeholder: 'calls', min: 1 })
  auditWebhookBatchThrottleBurst = 15;

  @Setting({ kind: 'boolean', help: 'Truncates events that are too large for the audit webhook, or drops them.' })
  auditWebhookTruncateEnabled = false;

  @Setting({ kind: 'integer', help: 'Size in bytes above which events for the audit webhook are truncated.', placeholder: 'bytes', min: 1 })
  auditWebhookTruncateMaxEventSize = 102_400;

  @Setting({ kind: 'integer', help: 'Size in bytes above which batches for the audit webhook are split.', placeholder: 'bytes', min: 1 })
  auditWebhookTruncateMaxBatchSize = 10_485_760;
}
