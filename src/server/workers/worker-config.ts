import path from 'node:path';
import type { ServerSettings } from '../config/server-settings.js';
import { connectionsThatFit } from '../../endpoints/connections/connection-limits.js';
import { workerCount } from '../config/process.settings.js';

/**
 * The configuration of one worker. The first worker creates or fetches the secrets and chooses the port. Later ones are given `port`, which
 * they share or count from, and find the secrets in files, so that all present one certificate. Workers share the machine's memory, so each
 * gets a part of the connections that fit into it.
 */
export function workerConfig(config: ServerSettings, id: number, port?: number): ServerSettings {
  const { auditLogPath } = config;
  return {
    ...config,
    maxConnections: config.maxConnections < 0 ? Math.ceil(connectionsThatFit() / workerCount(config.workers)) : config.maxConnections,
    ...(port === undefined
      ? {}
      : { securePort: config.workerPorts ? port + id - 1 : port, certDir: config.certDir || path.join(config.dataDir, 'certs') }),
    auditLogPath: auditLogPath === '' || auditLogPath === '-' ? auditLogPath : ownFile(auditLogPath, id),
  };
}

/** `audit.log` → `audit.worker-1.log`: a rotated file must have a single writer. */
function ownFile(file: string, id: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.worker-${id}${ext}`);
}
