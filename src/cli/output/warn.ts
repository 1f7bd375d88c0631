/** Prints a warning, which does not end the command. */
export function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}
