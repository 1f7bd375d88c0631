const NO_METRICS = 'there is no /metrics yet';
const NO_FLOW_CONTROL = 'no flow schema was applied, so that none is named';

/** Reasons, and the answers that differ from the recordings for them: `scenario #answer`. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  [NO_METRICS]: ['auth/rbac/cluster-binding #4', ...answers('discovery/metrics', [1, 2, 3, 4, 5, 6, 7, 10])],
  [NO_FLOW_CONTROL]: answers('discovery/headers', [1, 2, 3, 4, 5, 6, 7, 8, 10, 11]),
};

function answers(scenario: string, numbers: readonly number[]): string[] {
  return numbers.map((number) => `${scenario} #${number}`);
}

/**
 * Answers that differ from the recordings on purpose: `scenario #answer` to the reason. Each is explained in
 * docs/compatibility.md; a test keeps the two equal.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(DIFFERENCES).flatMap(([reason, places]) => places.map((place) => [place, reason])),
);
