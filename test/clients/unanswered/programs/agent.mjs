// agent.mjs LEASE COMMAND...: a client of the Model Context Protocol that asks before each step whether its session still holds the lease.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , name, command, ...args] = process.argv;
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
console.log('also', server.pid);
server.on('exit', () => process.exit(1));
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  waiting.get(id)?.(result);
});
let last = 0;
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(++last, resolve);
    send({ id: last, method, params });
  });
const use = (tool, more) => ask('tools/call', { name: tool, arguments: { name, ...more } });

await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } });
send({ method: 'notifications/initialized' });
let taken = await use('wait_for_lease', { duration: 15 });
while (taken.isError) {
  await sleep(1000);
  taken = await use('wait_for_lease', { duration: 15 });
}
console.log('leading', taken.structuredContent.token);
for (;;) {
  const asked = performance.now();
  const { isError, structuredContent } = await use('renew_lease');
  if (isError || performance.now() - asked >= structuredContent.secondsLeft * 1000) break;
  console.log('begins', Date.now());
  await sleep(200);
}
console.log('lost');
process.exit(1);
