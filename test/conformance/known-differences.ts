const NO_FLOW_CONTROL = 'no flow schema was applied, so that none is named';
const SHOWN_AS_1_36_DOES = 'a missing resourceVersion is shown as 0, as by 1.36, and not as 0x0, as by 1.31';

/**
 * Answers that differ from the recordings on purpose: `scenario #answer` to the reason. Each is explained in
 * docs/compatibility.md; a test keeps the two equal.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  ...answers('discovery/headers', [1, 2, 3, 4, 5, 6, 7, 8, 10, 11], NO_FLOW_CONTROL),
  'v1alpha1/update #3': SHOWN_AS_1_36_DOES,
};

function answers(scenario: string, numbers: readonly number[], reason: string): Record<string, string> {
  return Object.fromEntries(numbers.map((number) => [`${scenario} #${number}`, reason]));
}
