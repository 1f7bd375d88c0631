/** The number of colours of holders in the styles. */
const COLOURS = 6;

/** Assigns colours to holders in the order in which they are asked for, so that the ones that appear together differ. */
export class HolderColours {
  readonly #known = new Map<string, number>();

  /** 0 to 5. */
  of(holder: string): number {
    const known = this.#known.get(holder) ?? this.#known.size % COLOURS;
    this.#known.set(holder, known);
    return known;
  }
}
