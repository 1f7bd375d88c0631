import './register-typescript.mjs';
import bundleDependencies from './bundle-dependencies.mjs';

/** Starts the PostgreSQL that the suites share, once per run of jest. */
export default async function setup() {
  bundleDependencies();
  const { startSharedPostgres } = await import('./shared-postgres.ts');
  await startSharedPostgres();
}
