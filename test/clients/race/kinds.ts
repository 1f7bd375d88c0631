/**
 * SQL, client-go, fabric8, the TypeScript package, curl at the lock endpoint, and `coordination-apiserver elect` at the server and straight in
 * its database. Those with a term hand over: the package and `elect` with a longest term, a drain, and priorities that differ.
 */
const CLIENTS = ['sql', 'go', 'fabric8', 'typescript', 'typescriptterm', 'curl', 'shell', 'shellterm', 'shelldb'] as const;
/** Programs of frameworks, whose jobs write under their tokens (docs/frameworks.md). */
export const FRAMEWORKS = ['apscheduler', 'celery', 'shedlock', 'spring', 'rufus', 'cron'] as const;
export type Framework = (typeof FRAMEWORKS)[number];
export const KINDS = [...CLIENTS, ...FRAMEWORKS];
export type Kind = (typeof KINDS)[number];

/** The command that starts a program of this kind as the candidate of this name. */
export type Launch = (identity: string) => readonly [command: string, ...args: string[]];
