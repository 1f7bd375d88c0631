import { ServerConfig } from '../config/server-config.js';
import { workerConfig } from './worker-config.js';

const config = (changes: Partial<ServerConfig> = {}): ServerConfig => ({ ...new ServerConfig(), dataDir: '/data', ...changes });

test('the first worker takes port and secrets as configured, the others what it has made of them', () => {
  const given = config({ securePort: 0 });
  expect(workerConfig(given, 1)).toEqual(given);
  expect(workerConfig(given, 2, 7443)).toEqual({ ...given, securePort: 7443, certDir: '/data/certs' });
  expect(workerConfig(config({ certDir: '/own' }), 2, 7443).certDir).toBe('/own');
});

test('each worker has an audit log of its own, unless it is stdout', () => {
  expect(workerConfig(config({ auditLogPath: '/var/log/audit.log' }), 2).auditLogPath).toBe('/var/log/audit.worker-2.log');
  expect(workerConfig(config({ auditLogPath: '-' }), 2).auditLogPath).toBe('-');
});
