const MISSING_VERSION = 'a missing resourceVersion is shown as 0, as by 1.37, and not as 0x0, as by 1.31';
const LOWER_CASE = 'the description of a column begins in lower case, as by 1.37 and not by 1.31';

/**
 * Answers that differ from the recordings on purpose: `scenario #answer` to the reason. docs/compatibility.md explains each; a test keeps
 * the two in step.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'v1alpha1/create-get #7': LOWER_CASE,
  'v1alpha1/update #3': MISSING_VERSION,
};
