import { printable } from '../../../src/apimachinery/text/printable.js';

/** Text that others may have written, such as a holder, as an agent reads it: on one line, and too short to fill its context. */
export function shown(text: string, most = 200): string {
  return printable(text.length > most ? `${text.slice(0, most)}…` : text);
}
