import { styleText } from 'node:util';

type Colour = 'green' | 'yellow' | 'red';

/** A text in a colour, where it goes to a terminal that shows colours (NO_COLOR and FORCE_COLOR are heeded). */
export function coloured(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}
