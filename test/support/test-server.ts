import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import type { Auditor } from '../../src/audit/auditor.js';
import { createApp } from '../../src/app.module.js';
import { namespaceV1 } from '../../src/apis/core/namespace/namespace.resource.js';
import type { Authenticator } from '../../src/auth/authentication/authenticator.js';
import { BearerAuthenticator, WebSocketAuthenticator } from '../../src/auth/authentication/bearer-authenticator.js';
import { StaticTokens } from '../../src/auth/authentication/static-tokens.js';
import { parseTokenFile } from '../../src/auth/authentication/token-file.js';
import { JwtAuthenticator } from '../../src/auth/authentication/jwt/jwt-authenticator.js';
import { TokenUnion } from '../../src/auth/authentication/token-union.js';
import { TokenVerifier } from '../../src/auth/authentication/token-verifier.js';
import { UnionAuthenticator } from '../../src/auth/authentication/union-authenticator.js';
import type { Authorizer } from '../../src/auth/authorization/authorizer.js';
import { AlwaysAllowAuthorizer } from '../../src/auth/authorization/authorizer.js';
import { PolicyIndex } from '../../src/auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../src/auth/authorization/rbac/rbac-authorizer.js';
import type { ConnectionLimits } from '../../src/endpoints/connections/connection-limits.js';
import type { HealthCheck } from '../../src/endpoints/health/health-check.js';
import type { RequestLimits } from '../../src/endpoints/http-application-options.js';
import type { MemoryLimits } from '../../src/endpoints/ledger/memory-limits.js';
import { systemContext } from '../../src/registry/system-context.js';
import { ServerConfig } from '../../src/server/config/server-config.js';
import { followServiceAccounts } from '../../src/server/lifecycle/follow-service-accounts.js';
import { openIdDocuments } from '../../src/server/lifecycle/openid-documents.js';
import { createServiceAccountTokens } from '../../src/server/lifecycle/service-account-tokens.js';
import { createResources } from '../../src/server/lifecycle/resources.js';
import { createAuthority, issueServingCertificate } from '../../src/server/tls/certificate-authority.js';
import { MemoryStore } from '../../src/storage/memory-store.js';
import { DEFAULT_MEMORY_LIMITS } from '../../src/endpoints/ledger/memory-limits.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { LogLimits } from '../../src/telemetry/log-limits.js';
import type { LogLevel } from '../../src/telemetry/logger.js';
import { HTTP2_IMPLEMENTATION } from './http2-implementation.js';

export interface TestServerOptions {
  readonly store?: ObjectStore;
  readonly authorizer?: Authorizer;
  readonly anonymous?: boolean;
  /** Lines of a token file, beside those of TOKENS. */
  readonly tokens?: readonly string[];
  /** Ways in before tokens, and the authorities, as PEM, whose certificates clients are asked for. */
  readonly certificates?: { readonly authenticators: readonly Authenticator[]; readonly authorities: string };
  readonly healthChecks?: readonly HealthCheck[];
  readonly requestTimeoutMs?: number;
  readonly shutdownGraceMs?: number;
  readonly port?: number;
  readonly swaggerUi?: boolean;
  readonly ui?: boolean;
  readonly webSocketAllowedOrigins?: readonly string[];
  readonly auditor?: Auditor;
  /** Default: `warn`. */
  readonly logLevel?: LogLevel;
  readonly limits?: Partial<RequestLimits>;
  readonly connections?: Partial<ConnectionLimits>;
  readonly memory?: Partial<MemoryLimits>;
  /** Errors that the server logs; collected, so that a test may ask for them. */
  readonly log?: string[];
  readonly slowRequestMs?: number;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly store: ObjectStore;
  /** Certificate of the authority, as PEM. */
  readonly authority: string;
  close(): Promise<void>;
}

/** Users as the recorded answers know them. */
export const TOKENS = ['admin-token,admin,admin,"system:masters"', 'alice-token,alice,alice,dev', 'bob-token,bob,bob,ops'].join('\n');

const AUDIENCES = ['https://kubernetes.default.svc'];

const PING: HealthCheck = { name: 'ping', on: ['healthz', 'livez', 'readyz'], check: () => Promise.resolve() };

const pagesOf = ({ swaggerUi = true, ui = true }: TestServerOptions) => ({ swaggerUi, ui });

/** The HTTP application over a MemoryStore, in this process, on a free port, with a certificate of its own. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const store = options.store ?? new MemoryStore();
  const now = () => Date.now();
  const config = new ServerConfig();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serviceAccountTokens = createServiceAccountTokens(config, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), now);
  const issuers = new Map(config.serviceAccountIssuer.map((issuer) => [issuer, serviceAccountTokens.verifier]));
  const tokens = new TokenUnion([
    new StaticTokens(parseTokenFile([TOKENS, ...(options.tokens ?? [])].join('\n')), AUDIENCES),
    new JwtAuthenticator(issuers, now),
  ]);
  const { authenticators: first = [], authorities: clientAuthorities } = options.certificates ?? {};
  const authenticators = [...first, new BearerAuthenticator(tokens, AUDIENCES), new WebSocketAuthenticator(tokens, AUDIENCES)];
  const authorizer = options.authorizer ?? new AlwaysAllowAuthorizer();
  const access = {
    authorizer,
    rbac: new RbacAuthorizer(new PolicyIndex()),
    tokens: new TokenVerifier(tokens, AUDIENCES),
    restrictsNodes: false,
    serviceAccountTokens,
  };
  const { namespaces, serviceAccounts, served, subresources } = createResources({ objects: store, now, admissionPlugins: [], access });
  const authority = await createAuthority(Date.now());
  const tls = await issueServingCertificate(authority, { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now());
  const { log: lines, logLevel, slowRequestMs } = { log: [], logLevel: 'warn', slowRequestMs: 0, ...options };
  const logger = pino({ level: logLevel, ...new LogLimits().options() }, { write: (line: string) => void lines.push(line) });
  const forgetAccounts = await followServiceAccounts(serviceAccountTokens.accounts, serviceAccounts, logger);
  const app = await createApp({
    resources: served,
    subresources,
    documents: openIdDocuments(config, serviceAccountTokens),
    authenticator: new UnionAuthenticator({ authenticators, anonymous: options.anonymous ?? true }),
    authorizer,
    auditor: options.auditor,
    tls: { ...tls, clientAuthorities },
    healthChecks: options.healthChecks ?? [PING],
    version: VERSION,
    logger,
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
    minRequestTimeoutSeconds: 1800,
    shutdownGraceMs: options.shutdownGraceMs ?? 2000,
    slowRequestMs,
    ...pagesOf(options),
    webSocketAllowedOrigins: options.webSocketAllowedOrigins,
    now,
    memory: { ...DEFAULT_MEMORY_LIMITS, ...options.memory },
    connections: { maxConnections: 0, maxStreams: 100, goawayChance: 0, ...options.connections },
    http2Implementation: HTTP2_IMPLEMENTATION,
    limits: { priorityAndFairness: true, readOnly: 400, mutating: 200, watchesPerUser: 0, ...options.limits },
  });
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    const target = { version: namespaceV1, namespace: '', name: '' };
    const write = { dryRun: false, fieldManager: 'test', fieldValidation: 'Ignore' } as const;
    await namespaces.create(systemContext('test'), target, { metadata: { name } }, write);
  }
  await app.listen(options.port ?? 0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, port, store, authority: authority.cert, close: () => app.close().then(forgetAccounts) };
}

const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3-coordination-apiserver.test',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: 'linux/amd64',
};
