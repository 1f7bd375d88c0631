import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A wall clock that a test moves while the process of Node that has it runs; its steady clock goes on. */
export class MovedClock {
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'moved-clock-'));

  constructor(aheadMs = 0) {
    this.moveTo(aheadMs);
  }

  /** How far the clock is ahead of this machine's, in milliseconds; `stopped`: it stands still from now on. */
  moveTo(ahead: number | 'stopped'): void {
    writeFileSync(this.#file, ahead === 'stopped' ? String(ahead) : String(Math.round(ahead)));
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true });
  }

  /** For Node's command line. */
  get nodeFlags(): string[] {
    return ['--import', `data:text/javascript,${encodeURIComponent(program(this.#file))}`];
  }

  get #file(): string {
    return path.join(this.#dir, 'ahead');
  }
}

const program = (file: string): string => `
  import { readFileSync } from 'node:fs';
  const Real = Date;
  let [ahead, stopped] = [0, undefined];
  const read = () => {
    const text = readFileSync(${JSON.stringify(file)}, 'utf8');
    if (text !== 'stopped') [ahead, stopped] = [Number(text), undefined];
    else stopped ??= Real.now() + ahead;
  };
  read();
  setInterval(() => { try { read(); } catch {} }, 20).unref();
  const now = () => stopped ?? Real.now() + ahead;
  globalThis.Date = class Date extends Real {
    constructor(...values) { if (values.length === 0) super(now()); else super(...values); }
    static now() { return now(); }
  };
`;
