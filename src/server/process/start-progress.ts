const REDRAW_MS = 1000;

/** Shows the current step of a start and its duration in one line that is redrawn, if the output is a terminal; otherwise nothing. */
export class StartProgress {
  readonly #shown: boolean;
  readonly #write: (text: string) => void;
  readonly #began = Date.now();
  #step = 'starting';
  #timer: NodeJS.Timeout | undefined;

  constructor(shown = process.stderr.isTTY, write: (text: string) => void = (text) => void process.stderr.write(text)) {
    this.#shown = shown;
    this.#write = write;
    if (!shown) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS).unref();
  }

  readonly report = (step: string): void => {
    this.#step = step;
    if (this.#timer) this.#draw();
  };

  /** Clears the line. */
  end(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#write('\r\u001b[K');
  }

  #draw(): void {
    if (this.#shown) this.#write(`\r${this.#step} ... ${Math.floor((Date.now() - this.#began) / 1000)} s\u001b[K`);
  }
}
