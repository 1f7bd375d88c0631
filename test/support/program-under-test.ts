import path from 'node:path';

/** The file of the program that tests start. */
export const PROGRAM = path.resolve(import.meta.dirname, '../../dist/main.js');
