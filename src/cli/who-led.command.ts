import { Command } from 'commander';
import { parseGoDuration } from '../apimachinery/go/parse-go-duration.js';
import { leaderAt } from './kube/lease-history.js';
import { leaseName, termsOf } from './kube/lease-terms.js';
import { CommandError } from './output/command-error.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { addServerOptions, withServer } from './server-access.js';

const EXAMPLES = `
Examples:
  coordination-apiserver who-led jobs/one --at 2026-01-02T15:04:05Z
  coordination-apiserver who-led jobs/one --at 10m`;

const HEADINGS = ['HOLDER', 'FROM', 'UNTIL', 'ENDED', 'EXPIRED', 'TOKEN'];

/** `who-led`: shows who held a lease at a time. */
export function whoLedCommand(): Command {
  const command = new Command('who-led')
    .description(
      'Shows who held a lease at a time: the term, and since when it had been expired by then, or the time during which nobody held the lease.',
    )
    .argument('<lease>', 'Name of the lease, or NAMESPACE/NAME; the namespace is default otherwise.')
    .option('--at <time>', 'RFC 3339 time, such as 2026-01-02T15:04:05Z, or how long ago, such as 10m; now by default.')
    .addOption(outputOption());
  addServerOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (lease: string, { at = '0s', output }: { at?: string; output: OutputFormat }, self: Command) => {
      const name = leaseName(lease);
      const time = timeOf(at, Date.now());
      const leader = leaderAt(await withServer(self, (client) => termsOf(client, name)), time);
      const { holder, from = '', until = '', reason = '', expired = '', fencingToken = '' } = leader;
      const result = { ...name, at: new Date(time).toISOString(), ...leader };
      writeResult(output, result, [HEADINGS, [holder || '<none>', from, until, reason, expired, fencingToken]]);
    });
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds. Throws a CommandError. */
function timeOf(text: string, now: number): number {
  const ago = parseGoDuration(text);
  if (typeof ago === 'number' && ago >= 0) return now - ago;
  const time = RFC_3339.test(text) ? Date.parse(text) : NaN;
  if (time > now) throw new CommandError(`invalid value "${text}" for --at: must not be in the future`);
  if (Number.isNaN(time)) {
    throw new CommandError(`invalid value "${text}" for --at: must be a time such as 2026-01-02T15:04:05Z, or a duration such as 10m`);
  }
  return time;
}
