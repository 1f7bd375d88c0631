/** What a shell reports for a program that SIGPIPE ended. */
const EXIT_PIPE = 141;

/** Ends the program without a word where nobody reads its output any more, as in `leases | head`; Node ignores the signal for that. */
export function endWithReader(output: NodeJS.WriteStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT_PIPE);
  });
}
