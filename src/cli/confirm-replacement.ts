import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { printable } from '../apimachinery/text/printable.js';
import { shellWord } from '../settings/program-call.js';
import type { StoredContent } from '../storage/maintenance/restore-backup.js';
import { CommandError } from './output/command-error.js';

/** The database whose content is about to be replaced. */
export interface ReplacedPlace {
  /** What is typed to confirm. */
  readonly name: string;
  readonly shown: string;
}

interface Confirmation {
  /** The value of --yes. */
  readonly yes: string | undefined;
  /** Whether stdin is not needed for something else. */
  readonly mayAsk: boolean;
}

/** Says what is replaced, and rejects with a CommandError unless somebody names the place: in --yes, or when asked on the terminal. */
export async function confirmReplacement(content: StoredContent, { name, shown }: ReplacedPlace, given: Confirmation): Promise<void> {
  const replaced = `${describe(content)} in ${shown}`;
  if (given.yes !== undefined) {
    if (given.yes !== name) throw new CommandError(`--yes names ${given.yes}, but this would replace ${replaced}, which is ${name}`);
    process.stderr.write(`replacing ${printable(replaced)}\n`);
    return;
  }
  if (!given.mayAsk || !process.stdin.isTTY) {
    throw new CommandError(`this would replace ${replaced}: pass --yes=${shellWord(name)} to confirm`);
  }
  process.stderr.write(`This replaces ${printable(replaced)}.\n`);
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  // The end of the input is an answer too.
  const ended = once(asked, 'close').then(() => '');
  const answer = await Promise.race([asked.question(`Type ${printable(name)} to go on: `), ended]);
  asked.close();
  if (answer.trim() !== name) throw new CommandError('nothing was replaced');
}

function describe({ objects, terms, states, newest }: StoredContent): string {
  const content = `${objects} objects, ${terms} terms and ${states} states`;
  return newest === undefined ? content : `${content} (written last: ${newest.name}${newest.at === undefined ? '' : ` at ${newest.at}`})`;
}
