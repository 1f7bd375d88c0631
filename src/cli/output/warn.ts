/** A line about what may be wrong, which ends no command. */
export function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}
