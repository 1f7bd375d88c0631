import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PROGRAM } from '../../../../test/support/program-under-test.js';

/** Calls tools of the real program one after the other, as one agent, and answers whether any failed and what all said. */
export async function callTools(
  args: readonly string[],
  tools: readonly string[],
  values: Record<string, unknown>,
): Promise<{ failed: boolean; said: string }> {
  const client = new Client({ name: 'an-agent', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...args], env, stderr: 'ignore' }));
  const answers = [];
  for (const name of tools) answers.push(await client.callTool({ name, arguments: values }));
  await client.close();
  return { failed: answers.some(({ isError }) => isError === true), said: JSON.stringify(answers) };
}
