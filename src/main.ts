#!/usr/bin/env node
import { createApp } from './app.module.js';
import { runProgram } from './cli/program.js';

await runProgram(process.argv, createApp);
