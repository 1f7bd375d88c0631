import { execFileSync } from 'node:child_process';
import { freePortFor } from '../../contenders/free-port.js';
import type { LockEngine } from '../lock-engine.js';
import { SessionEngine } from '../session-engine.js';
import { findEngine } from './find-engine.js';
import { RedisConnection } from './redis-connection.js';
import { RedisSession } from './redis-session.js';
import { startProgram } from './started-program.js';

/** Whether Redis writes to its disk before it answers. */
export type RedisDurability = 'memory' | 'flushed';

const SETTINGS: Readonly<Record<RedisDurability, readonly string[]>> = {
  memory: ['--appendonly', 'no'],
  flushed: ['--appendonly', 'yes', '--appendfsync', 'always'],
};

const TOLD: Readonly<Record<RedisDurability, string>> = {
  memory: 'in memory, lost with the process',
  flushed: 'appendonly yes, appendfsync always',
};

/** `redis-server` on a free port, from REDIS_SERVER or the PATH. Both variants take no snapshots. */
export async function startRedisEngine(durability: RedisDurability): Promise<LockEngine> {
  const file = findEngine('redis-server', 'apt-get install redis-server, or set REDIS_SERVER', [process.env['REDIS_SERVER']]);
  const port = await freePortFor();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', ...SETTINGS[durability]];
  const program = await startProgram(
    file,
    (dir) => [...settings, '--dir', dir],
    async () => (await RedisConnection.open(port)).close(),
  );
  const version = /v=(\S+)/.exec(execFileSync(file, ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
  const name = durability === 'memory' ? 'SET NX PX' : 'SET NX PX, flushed';
  return new SessionEngine(
    { name, durability: `Redis ${version}: ${TOLD[durability]}` },
    async (holder) => new RedisSession(await RedisConnection.open(port), holder),
    program.stop,
  );
}
