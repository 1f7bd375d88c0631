#!/usr/bin/env -S node --max-semi-space-size=1
import { useCompileCache } from '../../../src/settings/compile-cache.js';

// Half of a start is compilation, whose result Node.js keeps.
useCompileCache();
const { testServerCommand } = await import('../../../src/cli/test-server.command.js');
try {
  await testServerCommand(() => import('../../../src/testing/run-test-server.js')).parseAsync();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(1);
}
