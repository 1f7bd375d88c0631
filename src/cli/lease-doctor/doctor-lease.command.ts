import { Command } from 'commander';
import { diagnoseControllers, isOfControllers } from '../diagnose-controllers.js';
import { CommandError, EXIT_FINDINGS } from '../output/command-error.js';
import { type OutputFormat, outputOption, writeChecks } from '../output/output-format.js';
import { leaseName } from '../kube/lease-terms.js';
import { addServerOptions, withServer } from '../server-access.js';
import { diagnoseLease, freeingLine } from './diagnose-lease.js';
import { leaseFacts } from './lease-facts.js';

const EXAMPLES = `
Examples:
  coordination-apiserver doctor lease jobs/one
  coordination-apiserver doctor lease one -n jobs -o json`;

/** `doctor lease`: says who holds a lease, and why nobody does. */
export function doctorLeaseCommand(): Command {
  const command = new Command('lease')
    .description(
      "Says why a lease has no holder, or the wrong one: who holds it and until when, by which clock, whether the holder's clock and duration make sense, how often it changed hands, and whose requests were refused, why, and what helps. Exit code 2: problems found.",
    )
    .argument('<lease>', 'Name of the lease, or NAMESPACE/NAME.')
    .option('-n, --namespace <name>', 'Namespace of the lease (default: default).')
    .addOption(outputOption());
  addServerOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (lease: string, { namespace, output }: { namespace?: string; output: OutputFormat }, self: Command) => {
      const asked = leaseName(namespace === undefined ? lease : `${namespace}/${lease}`);
      const { facts, controllers } = await withServer(self, async (client) => ({
        facts: await leaseFacts(client, asked),
        controllers: isOfControllers(asked.namespace, asked.name) ? [await diagnoseControllers(client, Date.now())] : [],
      }));
      const found = [...diagnoseLease(facts, Date.now()), ...controllers];
      writeChecks(output, found);
      const line = freeingLine(facts, found);
      if (output === 'table' && line !== undefined) process.stdout.write(`\nWhat may help:\n\n  ${line}\n`);
      const problems = new Set(found.filter(({ state }) => state === 'problem').map(({ check }) => check));
      if (problems.size > 0) throw new CommandError(`${[...problems].join(', ')}: see above`, EXIT_FINDINGS);
    });
}
