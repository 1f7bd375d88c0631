import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { clientCache } from './client-cache.js';
import { oneAtATime } from '../support/one-at-a-time.js';
import { mustRun } from './run-program.js';

const folder = path.join(import.meta.dirname, 'python');

/** A venv with the clients that are pinned in this folder below test/clients, created once; returns its Python. */
export function installPythonClients(name: 'python' | 'sql' = 'python'): Promise<string> {
  const venv = path.join(clientCache(name), 'venv');
  return oneAtATime(venv, () => install(venv, path.join(import.meta.dirname, name, 'requirements.txt')));
}

async function install(venv: string, requirements: string): Promise<string> {
  const installed = path.join(venv, 'requirements.txt');
  const wanted = await readFile(requirements, 'utf8');
  const python = path.join(venv, 'bin', 'python');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === wanted) return python;
  await mustRun('python3', ['-m', 'venv', '--clear', venv]);
  await mustRun(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements]);
  await writeFile(installed, wanted);
  return python;
}

/** The arguments with which Python runs a program below test/clients/python. */
export function pythonProgram(name: string, ...args: string[]): string[] {
  return [path.join(folder, name), ...args];
}

/** Runs a program below test/clients/python until it exits. */
export function runPython(python: string, name: string, ...args: string[]): Promise<string> {
  return mustRun(python, pythonProgram(name, ...args), { env: { PYTHONDONTWRITEBYTECODE: '1' } });
}
