const SHOWN_AS_1_36_DOES = 'a missing resourceVersion is shown as 0, as by 1.36, and not as 0x0, as by 1.31';

/**
 * Answers that differ from the recordings on purpose: `scenario #answer` to the reason. docs/compatibility.md explains each; a test keeps
 * the two in step.
 */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'v1alpha1/update #3': SHOWN_AS_1_36_DOES,
};
