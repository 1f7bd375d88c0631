import { Command } from 'commander';
import { PROGRAM_VERSION } from '../settings/program-files.js';
import { VERSION } from '../server/process/process.module.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';

/** `version`: prints the program's version and the Kubernetes version of its API. */
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
