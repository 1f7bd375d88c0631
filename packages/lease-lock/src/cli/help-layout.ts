/** An option with its meaning. */
export type HelpItem = readonly [term: string, meaning: string];

const INDENT = 2;
const GAP = 2;
/** In narrower terminals, meanings keep this width. */
const LEAST_WIDTH = 60;

/** Text and lists of options, wrapped at the width of a terminal. */
export class HelpLayout {
  readonly #width: number;
  /** Where the meanings begin, the same in all lists. */
  readonly #column: number;

  constructor(width: number, terms: readonly string[]) {
    this.#width = Math.max(LEAST_WIDTH, width);
    this.#column = INDENT + Math.max(...terms.map((term) => term.length)) + GAP;
  }

  text(words: string): string {
    return wrapped(words, this.#width).join('\n');
  }

  list(title: string, items: readonly HelpItem[]): string {
    return [this.text(`${title}:`), ...items.map((item) => this.#item(item))].join('\n');
  }

  #item([term, meaning]: HelpItem): string {
    const begin = `${' '.repeat(INDENT)}${term}`.padEnd(this.#column);
    return begin + wrapped(meaning, this.#width - this.#column).join(`\n${' '.repeat(this.#column)}`);
  }
}

function wrapped(words: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
