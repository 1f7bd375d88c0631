#!/usr/bin/env node
import { runProgram } from './run-program.js';

process.exit(await runProgram(process.argv.slice(2)));
