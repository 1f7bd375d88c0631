import { type WebhookClient, WebhookError } from './webhook-client.js';
import { withRetries } from './with-retries.js';
import { isObject } from '../../apimachinery/schema/is-object.js';

/** As in upstream's DefaultAuthWebhookRetryBackoff. */
const FIRST_PAUSE_MS = 500;

/** The kind of review that is posted. */
interface ReviewKind {
  /** Such as `authentication.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

export interface WebhookReviewerOptions extends ReviewKind {
  readonly client: Pick<WebhookClient, 'post'>;
  /** Waits between attempts; replaced in tests. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Calls a webhook in the style of Kubernetes reviews: posts an object with a spec and reads the status of the response. */
export class WebhookReviewer {
  readonly #options: WebhookReviewerOptions;

  constructor(options: WebhookReviewerOptions) {
    this.#options = options;
  }

  /** Resolves with the status of the response. Rejects with a WebhookError if there is none after the retries. */
  async review(spec: object): Promise<Readonly<Record<string, unknown>>> {
    const { apiVersion, kind, client, wait } = this.#options;
    const body = JSON.stringify({ kind, apiVersion, metadata: {}, spec });
    const isFinal = (error: unknown) => !(error instanceof WebhookError) || !error.transient;
    return withRetries(async () => this.#statusOf(await client.post(body)), { firstPauseMs: FIRST_PAUSE_MS, isFinal, wait });
  }

  /** A response without a kind is assumed to have that of the request, as in upstream's decoder. */
  #statusOf(text: string): Record<string, unknown> {
    const { apiVersion, kind } = this.#options;
    const answer = parse(text);
    if ((answer['kind'] ?? kind) !== kind || (answer['apiVersion'] ?? apiVersion) !== apiVersion) {
      throw new WebhookError(`the webhook's response is not a ${kind} of ${apiVersion}`, false);
    }
    const { status } = answer;
    return isObject(status) ? status : {};
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(text);
    if (isObject(answer)) return answer;
  } catch (error) {
    throw new WebhookError("the webhook's response is not JSON", false, error);
  }
  throw new WebhookError("the webhook's response is not an object", false);
}
