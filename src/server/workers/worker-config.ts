import path from 'node:path';
import type { ServerConfig } from '../config/server-config.js';

/**
 * What a worker is configured with. The first one to start makes or fetches the secrets and takes the port; `port` is given to those
 * after it, which find the secrets in files, so that all show one certificate.
 */
export function workerConfig(config: ServerConfig, id: number, port?: number): ServerConfig {
  const { auditLogPath } = config;
  return {
    ...config,
    ...(port === undefined ? {} : { securePort: port, certDir: config.certDir || path.join(config.dataDir, 'certs') }),
    auditLogPath: auditLogPath === '' || auditLogPath === '-' ? auditLogPath : ownFile(auditLogPath, id),
  };
}

/** `audit.log` → `audit.worker-1.log`: a file that is rotated has one writer. */
function ownFile(file: string, id: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.worker-${id}${ext}`);
}
