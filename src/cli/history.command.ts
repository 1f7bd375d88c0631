import { Command } from 'commander';
import { humanDuration } from '../apimachinery/go/go-duration.js';
import { type TermOfHistory, historyOf, leaseName, termsOf } from './kube/lease-terms.js';
import { withoutFraction } from './output/columns.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { addServerOptions, withServer } from './server-access.js';

const EXAMPLES = `
Examples:
  coordination-apiserver history jobs/one
  coordination-apiserver history jobs/one -o json`;

const HEADINGS = ['HOLDER', 'FROM', 'UNTIL', 'DURATION', 'ENDED', 'GAP', 'LATE', 'TOKEN'];

/** `history`: shows who held a lease, when, and how it ended. */
export function historyCommand(): Command {
  const command = new Command('history')
    .description(
      'Lists the terms of a lease, oldest first: holder, when it began and ended, how it ended, how long nobody had held the lease before, how many times the holder was late with its renewal, and the fencing token.',
    )
    .argument('<lease>', 'Name of the lease, or NAMESPACE/NAME; the namespace is default otherwise.')
    .addOption(outputOption());
  addServerOptions(command);
  return command.addHelpText('after', EXAMPLES).action(async (lease: string, { output }: { output: OutputFormat }, self: Command) => {
    const name = leaseName(lease);
    const terms = historyOf(await withServer(self, (client) => termsOf(client, name)), Date.now());
    writeResult(output, terms, [HEADINGS, ...terms.map(rowOf)], { spare: ['LATE', 'GAP', 'DURATION', 'TOKEN'] });
  });
}

function rowOf({ holder, from, until = '', durationMs, reason = '', gapMs, fencingToken, lapsed, lapses }: TermOfHistory): string[] {
  return [
    holder,
    withoutFraction(from),
    withoutFraction(until),
    humanDuration(durationMs),
    reason,
    gapMs === undefined ? '' : humanDuration(gapMs),
    late(until, lapsed, lapses),
    fencingToken,
  ];
}

/** `2`: twice; `2, now` while the holder is late. */
function late(until: string, lapsed = false, lapses = 0): string {
  if (lapses === 0) return '';
  return lapsed && until === '' ? `${lapses}, now` : String(lapses);
}
