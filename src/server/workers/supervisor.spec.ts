import { connectionsThatFit } from '../../endpoints/connections/connection-limits.js';
import { type ServerSettings, defaultSettings } from '../config/server-settings.js';
import { requireReusePort, workerConfig } from './supervisor.js';

test.each(['22.12.0', '22.20.1', '23.1.0', '24.0.0'])('Node %s can share a port on Linux', (version) => {
  expect(() => requireReusePort('linux', version)).not.toThrow();
});

test.each([
  ['linux', '20.19.0'],
  ['linux', '22.11.0'],
  ['linux', '23.0.0'],
  ['darwin', '24.0.0'],
])('%s with Node %s is refused', (platform, version) => {
  expect(() => requireReusePort(platform, version)).toThrow(
    `more than one worker (--workers) needs Linux and Node.js 22.12 or 23.1; this is ${platform} with Node.js ${version}`,
  );
});

const config = (changes: Partial<ServerSettings> = {}): ServerSettings => ({
  ...defaultSettings(),
  dataDir: '/data',
  maxConnections: 100,
  ...changes,
});

test('the first worker gets port and secrets as configured, the others as the first one has set them up', () => {
  const given = config({ securePort: 0 });
  expect(workerConfig(given, 1)).toEqual(given);
  expect(workerConfig(given, 2, 7443)).toEqual({ ...given, securePort: 7443, certDir: '/data/certs' });
  expect(workerConfig(config({ certDir: '/own' }), 2, 7443).certDir).toBe('/own');
});

test('each worker has its own audit log, unless it is stdout', () => {
  expect(workerConfig(config({ auditLogPath: '/var/log/audit.log' }), 2).auditLogPath).toBe('/var/log/audit.worker-2.log');
  expect(workerConfig(config({ auditLogPath: '-' }), 2).auditLogPath).toBe('-');
});

test('workers divide the default connection limit, but a configured limit applies to each', () => {
  expect(workerConfig(config({ workers: 4, maxConnections: -1 }), 1).maxConnections).toBe(Math.ceil(connectionsThatFit() / 4));
  expect(workerConfig(config({ workers: 4, maxConnections: 500 }), 1).maxConnections).toBe(500);
  expect(workerConfig(config({ workers: 4, maxConnections: 0 }), 1).maxConnections).toBe(0);
});

test('workers share a port, or count up from that of the first', () => {
  const ports = (given: ServerSettings) => [1, 2, 3].map((id) => workerConfig(given, id, 7443).securePort);
  expect(ports(config())).toEqual([7443, 7443, 7443]);
  expect(ports(config({ workerPorts: true }))).toEqual([7443, 7444, 7445]);
});
