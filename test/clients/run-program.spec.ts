import { runProgram } from './run-program.js';

describe('runProgram', () => {
  it('takes the exit code of a program that does not read its input', async () => {
    await expect(runProgram('sh', ['-c', 'exec <&-; exit 3'], { input: 'x'.repeat(1_000_000) })).resolves.toMatchObject({ code: 3 });
  });
});
