import { printable } from '../../apimachinery/text/printable.js';

/** Prints a warning, which does not end the command. */
export function warn(text: string): void {
  process.stderr.write(`warning: ${printable(text)}\n`);
}
