/** A reporter of node:test that prints only the totals, under the names used in jest's JSON. */
export default async function* totals(events) {
  const sum = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 0 };
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const suite = data.details?.type === 'suite';
    if (data.skip !== undefined) sum.numPendingTests += 1;
    else if (suite) sum.numRuntimeErrorTestSuites += type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed' ? 1 : 0;
    else sum[type === 'test:pass' ? 'numPassedTests' : 'numFailedTests'] += 1;
  }
  yield JSON.stringify(sum);
}
