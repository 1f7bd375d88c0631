import './register-typescript.mjs';

export default async function teardown() {
  const { stopSharedPostgres } = await import('./shared-postgres.ts');
  await stopSharedPostgres();
}
