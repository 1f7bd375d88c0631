import { IsIn, Min } from 'class-validator';
import type { AuditLogFormat } from './backends/log-backend.js';
import { AUDIT_LOG_FORMATS } from './backends/log-backend.js';
import { Setting } from '../settings/setting.js';

const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];

const NOT_NEGATIVE = 'must not be negative';
const POSITIVE = 'must be a positive number';
const MODES = `must be one of ${AUDIT_MODES.join(', ')}`;
const MODE_HELP =
  'batch does not delay requests, blocking makes them wait for it, blocking-strict also rejects requests that cannot be recorded.';

/** Settings of auditing. Names and defaults are kube-apiserver's. */
export class AuditSettings {
  @Setting({
    kind: 'text',
    help: 'An audit.k8s.io/v1 Policy that says which requests are recorded, and in how much detail (default: the one in docs/audit.md).',
    placeholder: 'file',
  })
  auditPolicyFile = '';

  @Setting({ kind: 'text', help: 'File for audit events, one per line; - is stdout.', placeholder: 'file' })
  auditLogPath = '';

  @Setting({ kind: 'text', help: `Format of the audit log: ${AUDIT_LOG_FORMATS.join(', ')}.`, placeholder: 'format' })
  @IsIn(AUDIT_LOG_FORMATS, { message: `must be one of ${AUDIT_LOG_FORMATS.join(', ')}` })
  auditLogFormat: AuditLogFormat = 'json';

  @Setting({ kind: 'integer', help: 'Size in megabytes at which the audit log is rotated; 0 never rotates it.', placeholder: 'megabytes' })
  @Min(0, { message: NOT_NEGATIVE })
  auditLogMaxsize = 100;

  @Setting({ kind: 'integer', help: 'Days to keep rotated audit logs; 0 sets no limit.', placeholder: 'days' })
  @Min(0, { message: NOT_NEGATIVE })
  auditLogMaxage = 366;

  @Setting({ kind: 'integer', help: 'How many rotated audit logs to keep; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  auditLogMaxbackup = 100;

  @Setting({ kind: 'boolean', help: 'Compresses rotated audit logs with gzip.', placeholder: 'bool' })
  auditLogCompress = false;

  @Setting({ kind: 'text', help: `How events are written to the audit log: ${MODE_HELP}`, placeholder: 'mode' })
  @IsIn(AUDIT_MODES, { message: MODES })
  auditLogMode: AuditMode = 'blocking';

  @Setting({
    kind: 'integer',
    help: 'How many events may wait for the audit log in batch mode; further ones are dropped.',
    placeholder: 'count',
  })
  @Min(1, { message: POSITIVE })
  auditLogBatchBufferSize = 10_000;

  @Setting({ kind: 'integer', help: 'Largest number of events per write in batch mode.', placeholder: 'count' })
  @Min(1, { message: POSITIVE })
  auditLogBatchMaxSize = 1;

  @Setting({ kind: 'duration', help: 'How long an event may wait in batch mode for others to be written with it.' })
  auditLogBatchMaxWait = 0;

  @Setting({ kind: 'boolean', help: 'Truncates events that are too large for the audit log, or drops them.', placeholder: 'bool' })
  auditLogTruncateEnabled = false;

  @Setting({ kind: 'integer', help: 'Size in bytes above which events for the audit log are truncated.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditLogTruncateMaxEventSize = 102_400;

  @Setting({ kind: 'integer', help: 'Size in bytes above which batches for the audit log are split.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditLogTruncateMaxBatchSize = 10_485_760;

  @Setting({ kind: 'text', help: 'Kubeconfig of the webhook that receives audit events.', placeholder: 'file' })
  auditWebhookConfigFile = '';

  @Setting({ kind: 'duration', help: 'Pause after the first failure of an audit-webhook call; it grows with each further one.' })
  auditWebhookInitialBackoff = 10_000;

  @Setting({ kind: 'text', help: `How events are sent to the audit webhook: ${MODE_HELP}`, placeholder: 'mode' })
  @IsIn(AUDIT_MODES, { message: MODES })
  auditWebhookMode: AuditMode = 'batch';

  @Setting({
    kind: 'integer',
    help: 'How many events may wait for the audit webhook in batch mode; further ones are dropped.',
    placeholder: 'count',
  })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchBufferSize = 10_000;

  @Setting({ kind: 'integer', help: 'Largest number of events per audit-webhook call in batch mode.', placeholder: 'count' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchMaxSize = 400;

  @Setting({ kind: 'duration', help: 'How long an event may wait in batch mode for others to be sent with it.' })
  auditWebhookBatchMaxWait = 30_000;

  @Setting({ kind: 'boolean', help: 'Limits the audit-webhook calls per second in batch mode.', placeholder: 'bool' })
  auditWebhookBatchThrottleEnable = true;

  @Setting({ kind: 'integer', help: 'Average audit-webhook calls per second.', placeholder: 'calls' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchThrottleQps = 10;

  @Setting({ kind: 'integer', help: 'Most audit-webhook calls in a burst.', placeholder: 'calls' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchThrottleBurst = 15;

  @Setting({ kind: 'boolean', help: 'Truncates events that are too large for the audit webhook, or drops them.', placeholder: 'bool' })
  auditWebhookTruncateEnabled = false;

  @Setting({ kind: 'integer', help: 'Size in bytes above which events for the audit webhook are truncated.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditWebhookTruncateMaxEventSize = 102_400;

  @Setting({ kind: 'integer', help: 'Size in bytes above which batches for the audit webhook are split.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditWebhookTruncateMaxBatchSize = 10_485_760;
}
