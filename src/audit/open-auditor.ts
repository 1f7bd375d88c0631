import type { Logger } from 'pino';
import {
  type AuditBackend,
  type AuditFailures,
  AuditFailureLog,
  AuditMetrics,
  LenientBackend,
  UnionBackend,
} from './backends/audit-backend.js';
import { Auditor } from './auditor.js';
import { type BatchOptions, BufferedBackend } from './backends/buffered-backend.js';
import { LogBackend, RotatedFile, StandardOutput } from './backends/log-backend.js';
import { TruncatingBackend } from './backends/truncating-backend.js';
import { WebhookBackend } from './backends/webhook-backend.js';
import { type AuditPolicy, PolicyEvaluator } from './policy/audit-policy.js';
import { AuditPolicyError, defaultPolicy, readPolicy } from './policy/read-policy.js';
import type { MetricRegistry } from '../telemetry/metrics/metric-registry.js';
import { systemScheduler } from '../time/scheduler.js';
import { systemClock } from '../telemetry/clock.js';
import type { AuditSettings, AuditMode } from './audit.settings.js';
import { StartError } from '../settings/start-error.js';
import type { Lifecycle } from '../settings/lifecycle.js';
import { readGivenFile } from '../settings/given-files.js';
import { configuredWebhookClient } from '../auth/webhook/webhook-client.js';

const MEGABYTE = 1024 * 1024;
/** Maximum number of concurrent webhook calls, so that a hanging receiver cannot fill the memory with batches. */
const MAX_WEBHOOK_CALLS = 32;

export interface AuditServices {
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
}

/**
 * Creates the auditor that the settings describe; undefined if they name no destination. Stopping it sends the waiting events. Throws
 * StartError.
 */
export function openAuditor(
  config: AuditSettings,
  { logger, metrics: registry }: AuditServices,
  lifecycle: Lifecycle,
): Auditor | undefined {
  const { policy, unknownFields } = readAuditPolicy(config);
  if (unknownFields.length > 0) logger.warn({ file: config.auditPolicyFile, unknownFields }, 'the audit policy has unknown fields');
  if (config.auditLogPath === '' && config.auditWebhookConfigFile === '') return undefined;
  const metrics = new AuditMetrics(registry, new AuditFailureLog(logger, systemScheduler));
  const backends = [
    ...(config.auditLogPath === '' ? [] : [logBackend(config, metrics, logger)]),
    ...(config.auditWebhookConfigFile === '' ? [] : [webhookBackend(config, metrics)]),
  ];
  const [first] = backends;
  if (!first) return undefined;
  const backend = backends.length === 1 ? first : new UnionBackend(backends);
  lifecycle.onStop(() => backend.close());
  return new Auditor({ policy: new PolicyEvaluator(policy), backend: metrics.counting(backend), metrics, now: systemClock });
}

/** Reads the policy of `--audit-policy-file`, or the default one. Throws StartError. */
export function readAuditPolicy({ auditPolicyFile: file }: AuditSettings): { policy: AuditPolicy; unknownFields: readonly string[] } {
  if (file === '') return { policy: defaultPolicy(), unknownFields: [] };
  try {
    return readPolicy(readGivenFile('--audit-policy-file', file));
  } catch (error) {
    if (error instanceof AuditPolicyError) throw new StartError(`loading audit policy file: ${error.message}: from file ${file}`);
    throw error;
  }
}

function logBackend(config: AuditSettings, failures: AuditFailures, logger: Logger): AuditBackend {
  const log = config.auditLogPath === '-' ? new StandardOutput() : openFile(config, logger);
  const batch = {
    bufferSize: config.auditLogBatchBufferSize,
    maxBatchSize: config.auditLogBatchMaxSize,
    maxBatchWaitMs: config.auditLogBatchMaxWait,
    // A single sender keeps the lines in order.
    maxSending: 1,
  };
  const backend = inMode(config.auditLogMode, new LogBackend(log, config.auditLogFormat, failures), batch, failures);
  if (!config.auditLogTruncateEnabled) return backend;
  const sizes = { maxEventBytes: config.auditLogTruncateMaxEventSize, maxBatchBytes: config.auditLogTruncateMaxBatchSize };
  return new TruncatingBackend(backend, sizes, failures);
}

function openFile(config: AuditSettings, logger: Logger): RotatedFile {
  try {
    return new RotatedFile({
      path: config.auditLogPath,
      maxBytes: config.auditLogMaxsize * MEGABYTE,
      maxAgeDays: config.auditLogMaxage,
      maxBackups: config.auditLogMaxbackup,
      compress: config.auditLogCompress,
      blocking: config.auditLogMode !== 'batch',
      now: systemClock,
      onTidyError: (err) => logger.error({ err }, 'cannot remove old audit logs'),
    });
  } catch (error) {
    throw new StartError(`cannot open --audit-log-path: ${(error as Error).message}`);
  }
}

function webhookBackend(config: AuditSettings, failures: AuditFailures): AuditBackend {
  const client = configuredWebhookClient('--audit-webhook-config-file', config.auditWebhookConfigFile);
  const { auditWebhookBatchThrottleQps: qps, auditWebhookBatchThrottleBurst: burst } = config;
  const batch = {
    bufferSize: config.auditWebhookBatchBufferSize,
    maxBatchSize: config.auditWebhookBatchMaxSize,
    maxBatchWaitMs: config.auditWebhookBatchMaxWait,
    maxSending: MAX_WEBHOOK_CALLS,
    ...(config.auditWebhookBatchThrottleEnable ? { throttle: { qps, burst } } : {}),
  };
  const webhook = new WebhookBackend(client, config.auditWebhookInitialBackoff, failures);
  const backend = inMode(config.auditWebhookMode, webhook, batch, failures);
  if (!config.auditWebhookTruncateEnabled) return backend;
  const sizes = { maxEventBytes: config.auditWebhookTruncateMaxEventSize, maxBatchBytes: config.auditWebhookTruncateMaxBatchSize };
  return new TruncatingBackend(backend, sizes, failures);
}

function inMode(mode: AuditMode, backend: AuditBackend, batch: BatchOptions, failures: AuditFailures): AuditBackend {
  if (mode === 'batch') return new BufferedBackend(backend, batch, failures, systemScheduler);
  return mode === 'blocking' ? new LenientBackend(backend) : backend;
}
