import { spawn } from 'node:child_process';

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program until it exits, whatever the exit code. */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe', cwd: options.cwd, env: { ...process.env, ...options.env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A program may exit without reading its input: its exit code and output say what that means.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || reject(error));
    child.stdin.end(options.input ?? '');
  });
}

/** Runs a program that must succeed; returns its output. */
export async function mustRun(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
