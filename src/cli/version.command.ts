import { Command } from 'commander';
import { PROGRAM_VERSION, VERSION } from '../server/lifecycle/version.js';
import type { OutputFormat } from './output-format.js';
import { outputOption, writeResult } from './output-format.js';

/** `version`: which program this is, and whose API it speaks. */
export function versionCommand(): Command {
  return new Command('version')
    .description('Prints the version of this program and of the Kubernetes API that it serves.')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  coordination-apiserver version --output json')
    .action(({ output }: { output: OutputFormat }) => {
      const kubernetes = VERSION.gitVersion.replace(/\+.*/, '');
      const result = { version: PROGRAM_VERSION, kubernetes, node: process.version, platform: VERSION.platform };
      writeResult(output, result, Object.entries(result));
    });
}
