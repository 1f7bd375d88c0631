#!/usr/bin/env -S node --max-semi-space-size=1
import module from 'node:module';

// Half of a start is compilation, whose result Node.js keeps in its cache of the machine.
module.enableCompileCache?.();
const { testServerCommand } = await import('../../../dist/cli/test-server.command.js');
try {
  await testServerCommand(() => import('../../../dist/testing/run-test-server.js')).parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(1);
}
