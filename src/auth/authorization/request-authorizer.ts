import { aggregateTexts } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { whenAnswered, whenReady } from '../../time/backoff.js';
import { AttemptMetrics } from '../attempt-metrics.js';
import {
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  type NamedAuthorizer,
  type UserRules,
  ALLOWED,
  AuthorizationError,
} from './authorizer.js';

/** A request as a client sent it. */
interface RequestToAuthorize {
  readonly user: UserInfo;
  readonly info: AuthorizationAttributes;
  /** Whether a trusted front proxy authorized exactly this request, for exactly this user, before it passed it on. */
  readonly isAuthorizedByProxy: boolean;
}

/**
 * Authorizes requests themselves. Only here does the decision of a front proxy count: kube-apiserver authorizes the request that it passes
 * on and nothing else, so every check that a request leads to, such as the creation that a PUT turns out to be, is made with an Authorizer,
 * which does not know of proxies.
 */
export class RequestAuthorizer {
  readonly #authorizer: Authorizer;
  readonly #beforeProxy: Authorizer | undefined;

  /** `beforeProxy`: the authorizers that are asked before a front proxy's decision counts; absent: it never does. */
  constructor(authorizer: Authorizer, beforeProxy?: Authorizer) {
    this.#authorizer = authorizer;
    this.#beforeProxy = beforeProxy;
  }

  authorize({ user, info, isAuthorizedByProxy }: RequestToAuthorize): Decision | Promise<Decision> {
    if (!isAuthorizedByProxy || !this.#beforeProxy) return this.#authorizer.authorize(user, info);
    return whenReady(this.#beforeProxy.authorize(user, info), unlessDenied);
  }
}

function unlessDenied(decision: Decision): Decision {
  return decision.allowed || decision.denied ? decision : ALLOWED;
}

const RESULTS = ['allowed', 'denied', 'no-opinion', 'error'] as const;

/** Counts the decisions on requests under upstream's metric names (apiserver endpoints/filters/metrics.go). */
export class MeteredAuthorizer {
  readonly #inner: RequestAuthorizer;
  readonly #metrics: AttemptMetrics<(typeof RESULTS)[number]>;

  constructor(inner: RequestAuthorizer, registry: MetricRegistry) {
    this.#inner = inner;
    this.#metrics = new AttemptMetrics(registry, RESULTS, {
      attempts: { name: 'authorization_attempts_total', help: 'Authorization decisions by result.' },
      seconds: { name: 'authorization_duration_seconds', help: 'Duration of authorization.' },
    });
  }

  authorize(request: RequestToAuthorize): Decision | Promise<Decision> {
    const begun = performance.now();
    return whenAnswered(
      () => this.#inner.authorize(request),
      (decision) => this.#decided(decision, begun),
      (error) => {
        this.#metrics.count('error', begun);
        throw error;
      },
    );
  }

  #decided(decision: Decision, begun: number): Decision {
    this.#metrics.count(resultOf(decision), begun);
    return decision;
  }
}

function resultOf(decision: Decision): (typeof RESULTS)[number] {
  if (decision.allowed) return 'allowed';
  if (decision.error) return 'error';
  return decision.denied ? 'denied' : 'no-opinion';
}

/** Reasons and errors of authorizers that did not decide. */
interface Gathered {
  readonly reasons: string;
  readonly errors: readonly string[];
}

const NOTHING: Gathered = Object.freeze({ reasons: '', errors: [] });

/**
 * Calls authorizers in order until one allows or denies. If none does, it refuses with their names and reasons, or with an error if at least
 * one of them failed (apiserver authorization/union).
 */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly NamedAuthorizer[];

  constructor(authorizers: readonly NamedAuthorizer[]) {
    this.#authorizers = authorizers;
  }

  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    return this.#next(user, attributes, 0, NOTHING);
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const answers = this.#authorizers.flatMap((authorizer) => authorizer.rulesFor?.(user, namespace) ?? []);
    const errors = answers.flatMap(({ evaluationError }) => evaluationError ?? []);
    return {
      rules: answers.flatMap(({ rules }) => rules),
      incomplete: answers.some(({ incomplete }) => incomplete),
      ...(errors.length > 0 ? { evaluationError: aggregateTexts(errors) } : {}),
    };
  }

  #next(user: UserInfo, attributes: AuthorizationAttributes, at: number, gathered: Gathered): Decision | Promise<Decision> {
    const authorizer = this.#authorizers[at];
    if (!authorizer) return refusal(gathered);
    return whenReady<Decision, Decision>(authorizer.authorize(user, attributes), (decision) => {
      if (decision.allowed || decision.denied) return decision;
      return this.#next(user, attributes, at + 1, gather(gathered, authorizer.name, decision));
    });
  }
}

function gather(before: Gathered, name: string, { reason = '', error }: Exclude<Decision, { allowed: true }>): Gathered {
  if (reason === '' && !error) return before;
  const named = reason === '' ? '' : `${name}: ${reason}`;
  return {
    reasons: [before.reasons, named].filter((each) => each !== '').join('\n'),
    errors: error ? [...before.errors, error.message] : before.errors,
  };
}

function refusal({ reasons, errors }: Gathered): Decision {
  return {
    allowed: false,
    ...(reasons === '' ? {} : { reason: reasons }),
    ...(errors.length === 0 ? {} : { error: new AuthorizationError(aggregateTexts(errors)) }),
  };
}
