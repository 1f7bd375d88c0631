#!/usr/bin/env node
import { runProgram } from './cli/program.js';

await runProgram(process.argv, async () => (await import('./app.module.js')).createApp);
