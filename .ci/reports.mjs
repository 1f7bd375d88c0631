// What jest's JSON reports say.
//   reports.mjs failed-files REPORT   the test files that failed, a line each
//   reports.mjs totals DIRECTORY      flaky tests, then "N passed, N failed"; NAME.repeated.json replaces the files' results in NAME.json
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const testsOf = (file) => file.assertionResults ?? [];
const count = (files, ...statuses) => files.flatMap(testsOf).filter(({ status }) => statuses.includes(status)).length;
/** Files that failed without a failed test: they could not be loaded, or a hook threw. */
const brokenFiles = (files) => files.filter((file) => file.status === 'failed' && count([file], 'failed') === 0).length;

const failedFiles = (report) =>
  read(report)
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => name);

const totals = (directory) => {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const reports = readdirSync(directory);
  for (const report of reports.filter((name) => !name.endsWith('.repeated.json'))) {
    const { testResults, numPassedTests, numFailedTests, numPendingTests } = read(path.join(directory, report));
    if (!testResults) {
      // the Docker test's report has totals only
      sum.passed += numPassedTests;
      sum.failed += numFailedTests;
      sum.skipped += numPendingTests;
      continue;
    }
    const repetition = report.replace('.json', '.repeated.json');
    const repeated = new Map(
      reports.includes(repetition) ? read(path.join(directory, repetition)).testResults.map((file) => [file.name, file]) : [],
    );
    const files = testResults.map((file) => repeated.get(file.name) ?? file);
    for (const file of testResults.filter(({ name }) => repeated.get(name)?.status === 'passed'))
      for (const { fullName } of testsOf(file).filter(({ status }) => status === 'failed'))
        console.log(`flaky: ${path.relative('.', file.name)}: ${fullName}`);
    sum.passed += count(files, 'passed');
    sum.failed += count(files, 'failed') + brokenFiles(files);
    sum.skipped += count(files, 'pending', 'todo', 'skipped');
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped ? `, ${sum.skipped} skipped` : ''}`);
};

const [command, target] = process.argv.slice(2);
if (command === 'failed-files') console.log(failedFiles(target).join('\n'));
else totals(target);
