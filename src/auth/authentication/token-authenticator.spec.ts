import { WebhookError } from '../webhook/webhook-client.js';
import { AuthenticationError } from './authenticator.js';
import { type TokenAuthenticator, type VerifiedToken, TokenUnion, WebhookTokens } from './token-authenticator.js';

describe('TokenUnion', () => {
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

describe('WebhookTokens', () => {
  let time: number;
  let asked: object[];
  const tokensWith = (answer: () => object) => {
    time = 0;
    asked = [];
    const review = async (spec: object) => {
      asked.push(spec);
      await Promise.resolve();
      return answer() as Record<string, unknown>;
    };
    return new WebhookTokens({ reviewer: { review }, audiences: ['here', 'also here'], cacheTtlMs: 1000, now: () => time });
  };
  const ann = { username: 'ann', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } };

  it('reads the user from the response', async () => {
    const verified = await tokensWith(() => ({ authenticated: true, user: ann })).authenticateToken('t', ['here']);
    expect(asked).toEqual([{ token: 't', audiences: ['here'] }]);
    expect(verified).toEqual({
      user: { name: 'ann', uid: 'u1', groups: ['dev', 'system:authenticated'], extra: { scopes: ['a'] } },
      audiences: ['here'],
    });
  });

  it.each([
    [{ authenticated: true, user: ann, audiences: ['there'] }],
    [{ authenticated: false, user: ann }],
    [{ authenticated: 'true', user: ann }],
    [{}],
  ])('does not recognize a token for which the response is %j', async (status) => {
    expect(await tokensWith(() => status).authenticateToken('t', ['here'])).toBeUndefined();
  });

  it('uses the audiences of the response, or its own if the response has none', async () => {
    expect(await tokensWith(() => ({ authenticated: true, audiences: ['there'] })).authenticateToken('t', ['there'])).toMatchObject({
      audiences: ['there'],
    });
    expect(await tokensWith(() => ({ authenticated: true })).authenticateToken('t', ['there'])).toBeUndefined();
  });

  it('reports an error of the token or of the webhook', async () => {
    const refused = tokensWith(() => ({ authenticated: false, error: 'expired' })).authenticateToken('t', ['here']);
    await expect(refused).rejects.toThrow(new AuthenticationError('expired'));
    const broken = tokensWith(() => {
      throw new WebhookError('down', false);
    }).authenticateToken('t', ['here']);
    await expect(broken).rejects.toThrow(new AuthenticationError('down'));
  });

  it('caches positive and negative results per token and audiences until they expire', async () => {
    for (const authenticated of [true, false]) {
      const tokens = tokensWith(() => ({ authenticated, user: ann }));
      const first = await tokens.authenticateToken('t', ['here']);
      time = 999;
      expect(tokens.authenticateToken('t', ['here'])).toBe(first);
      await tokens.authenticateToken('t', ['also here']);
      await tokens.authenticateToken('u', ['here']);
      time = 1000;
      await tokens.authenticateToken('t', ['here']);
      expect(asked).toHaveLength(4);
    }
  });

  it('calls the webhook once for concurrent requests, and again after a failure', async () => {
    let down = true;
    const tokens = tokensWith(() => {
      if (down) throw new WebhookError('down', false);
      return { authenticated: true, user: ann };
    });
    const ask = async () => tokens.authenticateToken('t', ['here']);
    await Promise.allSettled([ask(), ask()]);
    expect(asked).toHaveLength(1);
    down = false;
    expect(await tokens.authenticateToken('t', ['here'])).toBeDefined();
  });
});
