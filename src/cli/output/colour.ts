import { styleText } from 'node:util';

type Colour = 'green' | 'yellow' | 'red';

/** Colours text if stdout is a terminal with colours (honours NO_COLOR and FORCE_COLOR). */
export function coloured(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}
