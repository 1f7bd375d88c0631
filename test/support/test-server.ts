import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import { AppModule, NEST_OPTIONS } from '../../src/app.module.js';
import { Auditor } from '../../src/audit/auditor.js';
import { Access, createAuthorizers } from '../../src/auth/access.js';
import { namespaceV1 } from '../../src/apis/core/namespace/namespace.resource.js';
import { NamespaceStore } from '../../src/apis/core/namespace/namespace.module.js';
import { type Authenticator, UnionAuthenticator } from '../../src/auth/authentication/authenticator.js';
import { BearerAuthenticator, TokenVerifier, WebSocketAuthenticator } from '../../src/auth/authentication/bearer-authenticator.js';
import { StaticTokens, parseTokenFile } from '../../src/auth/authentication/static-tokens.js';
import { JwtAuthenticator } from '../../src/auth/authentication/jwt/jwt-authenticator.js';
import { TokenUnion } from '../../src/auth/authentication/token-authenticator.js';
import type { Authorizer } from '../../src/auth/authorization/authorizer.js';
import { PolicyIndex } from '../../src/auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../src/auth/authorization/rbac/rbac-authorizer.js';
import { RequestAuthorizer } from '../../src/auth/authorization/request-authorizer.js';
import { AccessInformers } from '../../src/controllers/access/access-informers.js';
import { VERSION_INFO } from '../../src/endpoints/discovery/discovery-documents.js';
import { ApiAdapter } from '../../src/endpoints/http-server/api-adapter.js';
import { TLS_MATERIAL } from '../../src/endpoints/http-server/tls-material.js';
import { LoadedSecrets } from '../../src/server/tls/load-secrets.js';
import { Lifecycle } from '../../src/settings/lifecycle.js';
import { CreatorTags } from '../../src/storage/requester.js';
import { DatabaseInUse, Storage } from '../../src/storage/storage.js';
import { createServerMetrics } from '../../src/telemetry/metrics/metric-registry.js';
import type { ConnectionLimits } from '../../src/endpoints/connections/connection-limits.js';
import type { HealthCheck } from '../../src/endpoints/monitoring/health-checks.js';
import { systemContext } from '../../src/registry/resource/request-context.js';
import { type ServerSettings, defaultSettings } from '../../src/server/config/server-settings.js';
import { createServiceAccountTokens } from '../../src/auth/authentication/service-account/service-account-tokens.js';
import { createAuthority, issueServingCertificate } from '../../src/server/tls/certificate-authority.js';
import { WatchedMemoryStore } from './watched-memory-store.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import type { StateRepository } from '../../src/storage/postgres/states/state.repository.js';
import { type LogLevel, LogLimits } from '../../src/telemetry/logger.js';
import { HTTP2_IMPLEMENTATION } from './http2-implementation.js';

export interface TestServerOptions {
  /** Modules of groups that are served in addition to the server's own. */
  readonly modules?: readonly Type[];
  readonly store?: ObjectStore;
  /** Where Terraform's states are, which need a database; without it they are not served. */
  readonly states?: StateRepository;
  /** Those that differ from a server's own. Slow requests are not logged by default. */
  readonly settings?: Partial<ServerSettings>;
  /** Instead of those of the settings. */
  readonly authorizer?: Authorizer;
  /** Lines of a token file, in addition to those of TOKENS. */
  readonly tokens?: readonly string[];
  /** Authenticators that precede tokens, and the authorities, as PEM, from which clients are asked for certificates. */
  readonly certificates?: { readonly authenticators: readonly Authenticator[]; readonly authorities: string };
  readonly healthChecks?: readonly HealthCheck[];
  readonly shutdownGraceMs?: number;
  /** Limits that no setting sets, or not to what a test needs. */
  readonly connections?: Partial<ConnectionLimits>;
  readonly port?: number;
  readonly auditor?: Auditor;
  /** Default: `warn`. */
  readonly logLevel?: LogLevel;
  /** Collects the lines that the server logs, for a test to check. */
  readonly log?: string[];
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly store: ObjectStore;
  /** The certificate of the authority, as PEM. */
  readonly authority: string;
  close(): Promise<void>;
}

/** The users in the recorded answers. */
export const TOKENS = ['admin-token,admin,admin,"system:masters"', 'alice-token,alice,alice,dev', 'bob-token,bob,bob,ops'].join('\n');

const AUDIENCES = ['https://kubernetes.default.svc'];

const PING: HealthCheck = { name: 'ping', on: ['healthz', 'livez', 'readyz'], check: () => Promise.resolve() };

/** The real application over a store in memory, in this process, on a free port, with a certificate of its own. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const store = options.store ?? new WatchedMemoryStore();
  const now = () => Date.now();
  const config = { ...defaultSettings(), slowRequestThreshold: 0, http2Implementation: HTTP2_IMPLEMENTATION, ...options.settings };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serviceAccountTokens = createServiceAccountTokens(config, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), now);
  const issuers = new Map(config.serviceAccountIssuer.map((issuer) => [issuer, serviceAccountTokens.verifier]));
  const tokens = new TokenUnion([
    new StaticTokens(parseTokenFile([TOKENS, ...(options.tokens ?? [])].join('\n')), AUDIENCES),
    new JwtAuthenticator(issuers, now),
  ]);
  const { authenticators: first = [], authorities: clientAuthorities } = options.certificates ?? {};
  const authenticators = [...first, new BearerAuthenticator(tokens, AUDIENCES), new WebSocketAuthenticator(tokens, AUDIENCES)];
  const policy = new PolicyIndex();
  const rbac = new RbacAuthorizer(policy);
  const authority = await createAuthority(Date.now());
  const tls = await issueServingCertificate(authority, { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now());
  const { log: lines, logLevel } = { log: [], logLevel: 'warn', ...options };
  const logger = pino({ level: logLevel, ...new LogLimits().options() }, { write: (line: string) => void lines.push(line) });
  const access: Access = {
    authenticator: new UnionAuthenticator({ authenticators, anonymous: config.anonymousAuth }),
    ...createAuthorizers(config, rbac, now),
    ...(options.authorizer && { authorizer: options.authorizer, requestAuthorizer: new RequestAuthorizer(options.authorizer) }),
    rbac,
    policy,
    tokens: new TokenVerifier(tokens, AUDIENCES, config.anonymousAuth),
    serviceAccountTokens,
    clientAuthorities: [],
    usesRoles: config.authorizationMode.includes('RBAC'),
    restrictsNodes: false,
    allowsEverything: false,
  };
  const lifecycle = new Lifecycle(logger);
  const parts = { database: { url: '', isEmbedded: true }, lifecycle, logger, metrics: createServerMetrics() };
  const testing = await Test.createTestingModule({ imports: [AppModule.of(config, parts, options.modules)] })
    .overrideProvider(DatabaseInUse)
    .useValue(undefined)
    .overrideProvider(Storage)
    .useValue({
      objects: store,
      states: options.states,
      healthChecks: options.healthChecks ?? [PING],
      sizes: () => undefined,
      creators: new CreatorTags(CreatorTags.newKey()),
    })
    .overrideProvider(LoadedSecrets)
    .useValue({ authority, serving: tls, adminToken: '', serviceAccountKey: '' })
    .overrideProvider(Access)
    .useValue(access)
    .overrideProvider(Auditor)
    .useValue(options.auditor)
    .overrideProvider(TLS_MATERIAL)
    .useValue({ ...tls, clientAuthorities })
    .overrideProvider(VERSION_INFO)
    .useValue(VERSION)
    .compile();
  const adapter = new ApiAdapter(
    { ...config, clientCaFile: clientAuthorities === undefined ? '' : 'given' },
    { shutdownGraceMs: options.shutdownGraceMs ?? 2000, connections: options.connections },
  );
  const app = testing.createNestApplication<NestFastifyApplication>(adapter, NEST_OPTIONS);
  await app.init();
  const namespaces = app.get(NamespaceStore);
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    const target = { version: namespaceV1, namespace: '', name: '' };
    const write = { dryRun: false, fieldManager: 'test', fieldValidation: 'Ignore' } as const;
    await namespaces.create(systemContext('test'), target, { metadata: { name } }, write);
  }
  // Bootstrap roles need their namespaces.
  const informers = app.get(AccessInformers);
  await informers.start();
  await app.listen(options.port ?? 0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const close = async () => {
    await app.close();
    informers.stop();
    await lifecycle.stop();
  };
  return { url: `https://127.0.0.1:${port}`, port, store, authority: authority.cert, close, [Symbol.asyncDispose]: close };
}

const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.37.2-coordination-apiserver.test',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: 'linux/amd64',
};
