/** The package's public surface. */
export { acquireLock, withLock } from './acquisition.js';
export type { LeaseBackend } from './backend.js';
export type { Lock } from './held-lock.js';
export { databaseLeases } from './database-leases.js';
export type { DatabaseOptions } from './database-leases.js';
export type { Queryable } from './database/lease-procedures.js';
export { LockError } from './lock-options.js';
export type { LockFailure } from './lock-options.js';
export type { LockOptions } from './lock-options.js';
export { serverLeases } from './server-leases.js';
export type { ServerOptions } from './connection/server-connection.js';
