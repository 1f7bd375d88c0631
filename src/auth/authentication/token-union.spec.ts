import { AuthenticationError } from './authentication-error.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { TokenUnion } from './token-union.js';

const ann: VerifiedToken = { user: { name: 'ann', uid: '', groups: [], extra: {} }, audiences: ['here'] };
const says = (answer: () => VerifiedToken | undefined | Promise<VerifiedToken | undefined>): TokenAuthenticator => ({
  authenticateToken: answer,
});
const unknown = says(() => undefined);
const bad = (text: string) =>
  says(() => {
    throw new AuthenticationError(text);
  });
const badLater = (text: string) => says(() => Promise.reject(new AuthenticationError(text)));
const ask = (...authenticators: TokenAuthenticator[]) => new TokenUnion(authenticators).authenticateToken('t', ['here']);

describe('TokenUnion', () => {
  it('accepts a token that any authenticator knows, whatever errors came before', async () => {
    expect(
      ask(
        unknown,
        bad('a'),
        says(() => ann),
      ),
    ).toBe(ann);
    expect(
      await ask(
        badLater('a'),
        says(() => Promise.resolve(ann)),
      ),
    ).toBe(ann);
  });

  it('reports every error, each once', async () => {
    expect(() => ask(bad('a'), unknown, bad('a'))).toThrow(new AuthenticationError('a'));
    await expect(ask(bad('a'), badLater('b'), unknown)).rejects.toThrow('[a, b]');
    expect(ask(unknown)).toBeUndefined();
  });

  it('stops at an unexpected failure', async () => {
    const broken = says(() => Promise.reject(new TypeError('broken')));
    await expect(
      ask(
        broken,
        says(() => ann),
      ),
    ).rejects.toThrow(TypeError);
  });
});
