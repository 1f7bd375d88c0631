/** Lists the skipped tests at the end; their titles contain the reason. */
export default class SkipReporter {
  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults.flatMap(({ testResults: tests }) => tests.filter(({ status }) => status === 'pending'));
    for (const { fullName } of skipped) process.stderr.write(`not run: ${fullName}\n`);
  }
}
