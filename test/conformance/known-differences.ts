/**
 * Answers that differ from the recordings on purpose: `scenario #answer` to the reason. Each is explained in
 * docs/compatibility.md; a test keeps the two equal.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'auth/rbac/cluster-binding #4': 'there is no /metrics yet',
};
