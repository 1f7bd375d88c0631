/** What `serve --workers` gives the program that it starts for each worker, in place of a command. */
export const WORKER = '--worker';
