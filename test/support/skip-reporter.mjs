/** Names at the end which tests were skipped: their titles carry the reason. */
export default class SkipReporter {
  onRunComplete(_contexts, { testResults }) {
    const skipped = testResults.flatMap(({ testResults: tests }) => tests.filter(({ status }) => status === 'pending'));
    for (const { fullName } of skipped) process.stderr.write(`not run: ${fullName}\n`);
  }
}
