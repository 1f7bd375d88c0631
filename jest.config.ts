import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

const project = (displayName: string, testMatch: string[]): NonNullable<Config['projects']>[number] => ({
  displayName,
  testMatch,
  roots: ['src', 'test', 'packages', 'bench'].map((folder) => `<rootDir>/${folder}`),
  testEnvironment: '<rootDir>/test/support/native/native-environment.mjs',
  runtime: '<rootDir>/test/support/native/native-runtime.mjs',
  transform: {},
});

const withPostgres = {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/** Projects whose tests start the built server as a separate process. */
const withServers = { ...withPostgres, globalSetup: '<rootDir>/test/support/server-setup.mjs' };

/** Clients whose build takes minutes: run only when requested by name. */
const heavyClients = Object.assign(project('heavy-clients', ['<rootDir>/test/clients/**/*.heavy.test.ts']), withServers);

/** Takes over the leases of a real kube-apiserver, for minutes and with exact times: runs only when requested by name. */
const cluster = Object.assign(project('cluster', ['<rootDir>/test/cluster/**/*.test.ts']), withServers);

/** Unit tests are next to the code and need nothing else; the others share one embedded PostgreSQL (test/support). */
const config: Config = {
  // Long enough for a machine with other work; conditions fail earlier, in test/support/eventually.
  testTimeout: 180_000,
  // Many tests wait for leases to expire and for programs to start.
  maxWorkers: availableParallelism() + 4,
  testSequencer: '<rootDir>/test/support/test-sequencer.mjs',
  reporters: ['default', '<rootDir>/test/support/skip-reporter.mjs'],
  projects: [
    project('unit', [
      '<rootDir>/src/**/*.spec.ts',
      '<rootDir>/packages/*/src/**/*.spec.ts',
      '<rootDir>/bench/**/*.spec.ts',
      '<rootDir>/test/**/*.spec.ts',
    ]),
    project('model', ['<rootDir>/test/model/**/*.test.ts', '<rootDir>/test/simulate/**/*.test.ts']),
    project('deploy', ['<rootDir>/test/deploy/**/*.test.ts']),
    Object.assign(project('integration', ['<rootDir>/test/integration/**/*.test.ts']), withPostgres),
    Object.assign(project('packages', ['<rootDir>/packages/*/test/**/*.test.ts']), withServers),
    ...['e2e', 'conformance', 'clients'].map((name) =>
      Object.assign(project(name, [`<rootDir>/test/${name}/**/!(*.heavy).test.ts`]), withServers),
    ),
    ...(process.argv.includes('heavy-clients') ? [heavyClients] : []),
    ...(process.argv.includes('cluster') ? [cluster] : []),
  ],
};
export default config;
