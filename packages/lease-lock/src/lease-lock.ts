/** The package's public surface. */
export { acquireLock, withLock } from './acquire-lock.js';
export type { LeaseBackend } from './backend.js';
export type { Lock } from './lock.js';
export { databaseLeases } from './database-leases.js';
export type { DatabaseOptions } from './database-leases.js';
export type { Queryable } from './database/queryable.js';
export { LockError } from './lock-error.js';
export type { LockFailure } from './lock-error.js';
export type { LockOptions } from './lock-options.js';
export { serverLeases } from './server-leases.js';
export type { ServerOptions } from './connection/server-options.js';
