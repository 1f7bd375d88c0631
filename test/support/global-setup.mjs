import './register-typescript.mjs';

/** Starts the PostgreSQL that the suites share, once per run of jest. */
export default async function setup() {
  const { startSharedPostgres } = await import('./shared-postgres.ts');
  await startSharedPostgres();
}
