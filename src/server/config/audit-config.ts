import { IsIn, Min } from 'class-validator';
import type { AuditLogFormat } from '../../audit/backends/log-backend.js';
import { AUDIT_LOG_FORMATS } from '../../audit/backends/log-backend.js';
import { Setting } from './setting.js';

export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];

const NOT_NEGATIVE = 'must not be negative';
const POSITIVE = 'must be a positive number';
const MODES = `must be one of ${AUDIT_MODES.join(', ')}`;
const MODE_HELP =
  'batch lets requests go on at once, blocking makes them wait, blocking-strict also refuses those that cannot be recorded.';

/** The settings of audit: names and defaults are kube-apiserver's. */
export class AuditConfig {
  @Setting({
    kind: 'text',
    help: 'An audit.k8s.io/v1 Policy: which requests are recorded, and how much of them (default: the one of docs/audit.md).',
    placeholder: 'file',
  })
  auditPolicyFile = '';

  @Setting({ kind: 'text', help: 'The file that audit events are written to, a line each; - is stdout.', placeholder: 'file' })
  auditLogPath = '';

  @Setting({ kind: 'text', help: `The form of events in it: ${AUDIT_LOG_FORMATS.join(', ')}.`, placeholder: 'format' })
  @IsIn(AUDIT_LOG_FORMATS, { message: `must be one of ${AUDIT_LOG_FORMATS.join(', ')}` })
  auditLogFormat: AuditLogFormat = 'json';

  @Setting({ kind: 'integer', help: 'Megabytes after which the audit log is rotated; 0 never does.', placeholder: 'megabytes' })
  @Min(0, { message: NOT_NEGATIVE })
  auditLogMaxsize = 100;

  @Setting({ kind: 'integer', help: 'Days for which rotated audit logs are kept; 0 sets no limit.', placeholder: 'days' })
  @Min(0, { message: NOT_NEGATIVE })
  auditLogMaxage = 366;

  @Setting({ kind: 'integer', help: 'How many rotated audit logs are kept; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  auditLogMaxbackup = 100;

  @Setting({ kind: 'boolean', help: 'Compresses rotated audit logs with gzip.', placeholder: 'bool' })
  auditLogCompress = false;

  @Setting({ kind: 'text', help: `How events get into the log: ${MODE_HELP}`, placeholder: 'mode' })
  @IsIn(AUDIT_MODES, { message: MODES })
  auditLogMode: AuditMode = 'blocking';

  @Setting({ kind: 'integer', help: 'How many events may wait for the log in batch mode; more are dropped.', placeholder: 'count' })
  @Min(1, { message: POSITIVE })
  auditLogBatchBufferSize = 10_000;

  @Setting({ kind: 'integer', help: 'The most events that are written at once in batch mode.', placeholder: 'count' })
  @Min(1, { message: POSITIVE })
  auditLogBatchMaxSize = 1;

  @Setting({ kind: 'duration', help: 'How long events wait for others to be written with in batch mode.' })
  auditLogBatchMaxWait = 0;

  @Setting({ kind: 'boolean', help: 'Drops objects of, or whole, events that are too large for the log.', placeholder: 'bool' })
  auditLogTruncateEnabled = false;

  @Setting({ kind: 'integer', help: 'The size above which events for the log are truncated.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditLogTruncateMaxEventSize = 102_400;

  @Setting({ kind: 'integer', help: 'The size above which batches for the log are split.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditLogTruncateMaxBatchSize = 10_485_760;

  @Setting({ kind: 'text', help: 'A kubeconfig that names the webhook that audit events are posted to.', placeholder: 'file' })
  auditWebhookConfigFile = '';

  @Setting({ kind: 'duration', help: 'How long the first pause is after a failed call of the audit webhook.' })
  auditWebhookInitialBackoff = 10_000;

  @Setting({ kind: 'text', help: `How events get to the webhook: ${MODE_HELP}`, placeholder: 'mode' })
  @IsIn(AUDIT_MODES, { message: MODES })
  auditWebhookMode: AuditMode = 'batch';

  @Setting({ kind: 'integer', help: 'How many events may wait for the webhook in batch mode; more are dropped.', placeholder: 'count' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchBufferSize = 10_000;

  @Setting({ kind: 'integer', help: 'The most events in a call of the webhook in batch mode.', placeholder: 'count' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchMaxSize = 400;

  @Setting({ kind: 'duration', help: 'How long events wait for others to share a call of the webhook in batch mode.' })
  auditWebhookBatchMaxWait = 30_000;

  @Setting({ kind: 'boolean', help: 'Limits the calls of the webhook per second in batch mode.', placeholder: 'bool' })
  auditWebhookBatchThrottleEnable = true;

  @Setting({ kind: 'integer', help: 'That limit, on average.', placeholder: 'calls' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchThrottleQps = 10;

  @Setting({ kind: 'integer', help: 'How many calls may be made at once after a pause.', placeholder: 'calls' })
  @Min(1, { message: POSITIVE })
  auditWebhookBatchThrottleBurst = 15;

  @Setting({ kind: 'boolean', help: 'Drops objects of, or whole, events that are too large for the webhook.', placeholder: 'bool' })
  auditWebhookTruncateEnabled = false;

  @Setting({ kind: 'integer', help: 'The size above which events for the webhook are truncated.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditWebhookTruncateMaxEventSize = 102_400;

  @Setting({ kind: 'integer', help: 'The size above which batches for the webhook are split.', placeholder: 'bytes' })
  @Min(1, { message: POSITIVE })
  auditWebhookTruncateMaxBatchSize = 10_485_760;
}
