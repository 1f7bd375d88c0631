/** The URL with which this module was evaluated. */
export const evaluatedBy = import.meta.url;
