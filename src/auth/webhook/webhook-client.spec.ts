import { WebhookError, WebhookReviewer } from './webhook-client.js';

const KIND = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };
let pauses: number[];
let bodies: string[];
/** A webhook that returns these responses in order, and then repeats the last one. */
function reviewer(...answers: (string | Error)[]): WebhookReviewer {
  pauses = [];
  bodies = [];
  const post = (body: string): Promise<string> => {
    const answer = answers[Math.min(bodies.push(body), answers.length) - 1] ?? '';
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return new WebhookReviewer({ ...KIND, client: { post }, wait: (ms) => Promise.resolve(pauses.push(ms)) });
}
const passing = new WebhookError('busy', true);
const lasting = new WebhookError('down', false);

describe('WebhookReviewer', () => {
  it('posts an object of its kind and returns the status', async () => {
    expect(await reviewer(JSON.stringify({ ...KIND, status: { authenticated: true } })).review({ token: 't' })).toEqual({
      authenticated: true,
    });
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([{ ...KIND, metadata: {}, spec: { token: 't' } }]);
  });

  it('retries with increasing delays when a retry may help', async () => {
    expect(await reviewer(passing, passing, '{"status":{"authenticated":true}}').review({})).toEqual({ authenticated: true });
    expect(pauses).toHaveLength(2);
    await expect(reviewer(passing).review({})).rejects.toThrow('busy');
    expect(bodies).toHaveLength(5);
    pauses.forEach((pause, at) => {
      expect(pause).toBeGreaterThanOrEqual(500 * 1.5 ** at);
      expect(pause).toBeLessThanOrEqual(600 * 1.5 ** at);
    });
  });

  it('does not retry when a retry cannot help', async () => {
    await expect(reviewer(lasting).review({})).rejects.toThrow('down');
    expect(bodies).toHaveLength(1);
  });

  it.each(['', 'no', '[]', '"text"', '{"kind":"Status"}', '{"apiVersion":"authentication.k8s.io/v1beta1"}'])(
    'treats %j as an invalid response',
    async (answer) => {
      await expect(reviewer(answer).review({})).rejects.toThrow(WebhookError);
    },
  );
});
