import path from 'node:path';

/** Set by server-setup.mjs for a run of jest. */
export const PROGRAM_VARIABLE = 'COORDINATION_TEST_PROGRAM';

/** The file of the program that tests start: the build as a bundle, or outside jest the build itself. */
export const PROGRAM = process.env[PROGRAM_VARIABLE] ?? path.resolve(import.meta.dirname, '../../dist/main.js');
