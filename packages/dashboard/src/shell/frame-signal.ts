/** Notifies of changes at most once a frame, however many there are; not at all while the page is hidden. */
export class FrameSignal {
  readonly #listeners = new Set<() => void>();
  #asked = false;

  poke = (): void => {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      for (const listener of this.#listeners) listener();
    });
  };

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
