import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { ProcessTree } from './process-tree.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the CPU time of a process that has ended still counts', async () => {
  const burn = `const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);`;
  const shell = spawn('sh', ['-c', `"${process.execPath}" -e '${burn}'; echo ended; read line`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(shell, 'exit');
  try {
    await once(shell.stdout, 'data');
    expect(new ProcessTree([shell.pid ?? 0]).cpuSeconds()).toBeGreaterThanOrEqual(0.25);
  } finally {
    shell.stdin.end('\n');
    await exited;
  }
});
