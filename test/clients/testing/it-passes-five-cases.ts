import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { describeWith } from '../toolchain.js';
import { ELECTION_EXAMPLES, runCases } from './election-examples.js';

/** A suite that runs an example of packages/testing once. */
export function itPassesFiveCases(client: keyof typeof ELECTION_EXAMPLES): void {
  const { tools, build } = ELECTION_EXAMPLES[client];
  describeWith(tools, client, () => {
    const folder = scratchDirectory(tmpdir());

    it('passes the five cases against a test server', async () => {
      const command = await build(folder);
      const { results, failure } = await runCases(folder, command(1));
      expect(failure).toBeUndefined();
      expect(results).toHaveLength(5);
    }, 600_000);
  });
}
