import { Command } from 'commander';
import { humanDuration } from '../apimachinery/go/go-duration.js';
import { leaderAt } from './kube/lease-history.js';
import { leaseName, termsOf } from './kube/lease-terms.js';
import { CommandError } from './output/command-error.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { withoutFraction } from './output/without-fraction.js';
import { pointInTime } from './point-in-time.js';
import { addServerOptions, withServer } from './server-access.js';

const EXAMPLES = `
Examples:
  coordination-apiserver who-led jobs/one --at 2026-01-02T15:04:05Z
  coordination-apiserver who-led jobs/one --at 03:00
  coordination-apiserver who-led jobs/one --at 10m`;

const NOW = 'now';
const HEADINGS = ['HOLDER', 'FROM', 'UNTIL', 'ENDED', 'EXPIRED', 'TOKEN'];

/** `who-led`: shows who held a lease at a time. */
export function whoLedCommand(): Command {
  const command = new Command('who-led')
    .description(
      'Shows who held a lease at a time: the term, and since when it had been expired by then, or the time during which nobody held the lease.',
    )
    .argument('<lease>', 'Name of the lease, or NAMESPACE/NAME; the namespace is default otherwise.')
    .option(
      '--at <time>',
      'When: 03:00, yesterday, 2026-01-02 or "2026-01-02 15:04" of this computer\'s zone, 2026-01-02T15:04:05Z, or how long ago, such as 10m; now by default.',
    )
    .addOption(outputOption());
  addServerOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (lease: string, { at = NOW, output }: { at?: string; output: OutputFormat }, self: Command) => {
      const name = leaseName(lease);
      const time = timeOf(at);
      const leader = leaderAt(await withServer(self, (client) => termsOf(client, name)), time);
      const { holder, from = '', until = '', reason = '', expired = '', fencingToken = '' } = leader;
      const result = { ...name, at: new Date(time).toISOString(), ...leader };
      // Which time was meant, as 03:00 is one of many.
      if (at !== NOW) process.stderr.write(`at ${withoutFraction(result.at)}, ${humanDuration(Date.now() - time)} ago:\n`);
      const times = [from, until, reason, expired].map(withoutFraction);
      writeResult(output, result, [HEADINGS, [holder || '<none>', ...times, fencingToken]], { spare: ['EXPIRED', 'ENDED', 'TOKEN'] });
    });
}

/** Milliseconds. Throws a CommandError. */
function timeOf(text: string): number {
  const now = Date.now();
  const time = pointInTime(text, now);
  if (time === undefined) {
    throw new CommandError(
      `invalid value "${text}" for --at: must be a time such as 03:00, yesterday, 2026-01-02 or 2026-01-02T15:04:05Z, or how long ago, such as 10m`,
    );
  }
  if (time > now) throw new CommandError(`invalid value "${text}" for --at: must not be in the future`);
  return time;
}
