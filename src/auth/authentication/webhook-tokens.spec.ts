import { WebhookError } from '../webhook/webhook-client.js';
import { AuthenticationError } from './authentication-error.js';
import { WebhookTokens } from './webhook-tokens.js';

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

describe('WebhookTokens', () => {
  it('takes the user from the answer', async () => {
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
  ])('does not know a token of which it hears %j', async (status) => {
    expect(await tokensWith(() => status).authenticateToken('t', ['here'])).toBeUndefined();
  });

  it('takes audiences from the answer, or its own where that names none', async () => {
    expect(await tokensWith(() => ({ authenticated: true, audiences: ['there'] })).authenticateToken('t', ['there'])).toMatchObject({
      audiences: ['there'],
    });
    expect(await tokensWith(() => ({ authenticated: true })).authenticateToken('t', ['there'])).toBeUndefined();
  });

  it('tells what was wrong with a token, or with the webhook', async () => {
    const refused = tokensWith(() => ({ authenticated: false, error: 'expired' })).authenticateToken('t', ['here']);
    await expect(refused).rejects.toThrow(new AuthenticationError('expired'));
    const broken = tokensWith(() => {
      throw new WebhookError('down', false);
    }).authenticateToken('t', ['here']);
    await expect(broken).rejects.toThrow(new AuthenticationError('down'));
  });

  it('remembers good and bad answers for a while, each for its token and audiences', async () => {
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

  it('asks once for requests that come together, and again after a failure', async () => {
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
