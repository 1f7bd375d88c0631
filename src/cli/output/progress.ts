const WIDTH = 30;
const REDRAW_MS = 100;

/** A progress bar on stderr; silent unless that is a terminal. */
export class Progress {
  readonly #what: string;
  readonly #shown = process.stderr.isTTY;
  #drawnAt = 0;

  constructor(what: string) {
    this.#what = what;
  }

  readonly report = (done: number, of: number): void => {
    if (!this.#shown || (done < of && Date.now() - this.#drawnAt < REDRAW_MS)) return;
    this.#drawnAt = Date.now();
    process.stderr.write(`\r${progressLine(this.#what, done, of)}\u001b[K`);
  };

  /** Clears the bar. */
  end(): void {
    if (this.#shown && this.#drawnAt > 0) process.stderr.write('\r\u001b[K');
  }
}

/** `import [##########          ] 50 % 500/1000`; without a known end the count alone. */
export function progressLine(what: string, done: number, of: number): string {
  if (of <= 0) return `${what} ${done}`;
  const part = Math.min(1, done / of);
  const filled = Math.round(part * WIDTH);
  return `${what} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${Math.floor(part * 100)} % ${done}/${of}`;
}
