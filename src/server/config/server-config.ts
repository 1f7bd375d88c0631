import { IsIn, IsIP, IsInt, IsNotEmpty, IsOptional, Matches, Max, Min, ValidateIf } from 'class-validator';
import type { LogFormat, LogLevel } from '../../telemetry/logger.js';
import { CONTROLLERS } from '../../controllers/controller-names.js';
import { DEFAULT_PATIENCE } from '../../endpoints/connections/patience.js';
import { DEFAULT_MEMORY_LIMITS } from '../../endpoints/ledger/memory-limits.js';
import { CIPHER_SUITES, TLS13_CIPHER_SUITES, TLS_VERSIONS } from '../tls/tls-names.js';
import type { TlsVersion } from '../tls/tls-names.js';
import { AccessConfig } from './access-config.js';
import { POOLING } from '../../storage/database/pooling.js';
import type { Pooling } from '../../storage/database/pooling.js';
import { Setting } from './setting.js';
import { HTTP2_IMPLEMENTATIONS } from '../../endpoints/connections/http2-session.js';
import type { Http2Implementation } from '../../endpoints/connections/http2-session.js';

export const ADMISSION_PLUGINS = ['NamespaceAutoProvision', 'NamespaceLifecycle'] as const;

const NOT_NEGATIVE = 'must not be negative';
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];
const LOG_FORMATS = ['auto', 'text', 'json'];

/**
 * Everything that can be set, with its default. Each property is a flag, an environment variable and a key of the
 * configuration file; names and defaults are kube-apiserver's where it has them. Durations are in milliseconds.
 */
export class ServerConfig extends AccessConfig {
  @Setting({
    kind: 'text',
    help: 'The IP address to listen on; 0.0.0.0 and :: are all interfaces (default: 127.0.0.1 with the embedded database, 0.0.0.0 with another).',
    placeholder: 'ip',
  })
  @ValidateIf(({ bindAddress }: ServerConfig) => bindAddress !== '')
  @IsIP(undefined, { message: 'must be an IP address' })
  bindAddress = '';

  @Setting({ kind: 'integer', help: 'The port to serve HTTPS on; 0 takes any free one, which is printed.', placeholder: 'port' })
  @IsInt()
  @Min(0, { message: 'must be between 0 and 65535' })
  @Max(65535, { message: 'must be between 0 and 65535' })
  securePort = 6443;

  @Setting({
    kind: 'integer',
    help: 'How many processes serve, each a whole replica that the kernel gives its share of the connections (Linux); 0 is one for each core. Limits are of each process.',
    placeholder: 'count',
  })
  @IsInt()
  @Min(0, { message: 'must be between 0 and 256' })
  @Max(256, { message: 'must be between 0 and 256' })
  workers = 1;

  @Setting({ kind: 'text', help: 'The directory of everything that the server keeps in files.', placeholder: 'directory' })
  @IsNotEmpty({ message: 'must not be empty' })
  dataDir = '.data';

  @Setting({
    kind: 'text',
    help: 'The PostgreSQL server to use instead of the embedded one; PGHOST and the other PG* variables select one too. Of several hosts, separated by commas, the primary is used.',
    placeholder: 'url',
    alsoEnvironment: 'DATABASE_URL',
  })
  @IsOptional()
  databaseUrl = '';

  @Setting({
    kind: 'text',
    help: 'A file that holds the password for --database-url, whose user has none in it then.',
    placeholder: 'file',
  })
  databasePasswordFile = '';

  @Setting({
    kind: 'text',
    help: "The schema of the server's tables (default: coordination, or the one in which an earlier version made them). Named, it may have tables of other programs.",
    placeholder: 'schema',
  })
  @Matches(/^(?!pg_)(?!\d)[a-z0-9_]{0,42}$/, { message: 'must be at most 42 lower-case letters, digits and _' })
  databaseSchema = '';

  @Setting({
    kind: 'text',
    help: `What a connection to the database is: ${POOLING.join(', ')}; transaction behind a pooler that gives each transaction another session, auto finds out.`,
    placeholder: 'mode',
  })
  @IsIn(POOLING, { message: `must be one of ${POOLING.join(', ')}` })
  databasePooling: Pooling = 'auto';

  @Setting({
    kind: 'text',
    help: 'The directory of generated certificates and the admin token (default: certs in the data directory).',
    placeholder: 'directory',
  })
  certDir = '';

  @Setting({
    kind: 'text',
    help: 'The serving certificate, with its chain, as PEM; one is generated when it is not given.',
    placeholder: 'file',
  })
  tlsCertFile = '';

  @Setting({ kind: 'text', help: "The serving certificate's private key as PEM.", placeholder: 'file' })
  tlsPrivateKeyFile = '';

  @Setting({ kind: 'text', help: `The oldest version of TLS that is spoken: ${TLS_VERSIONS.join(', ')}.`, placeholder: 'version' })
  @IsIn(TLS_VERSIONS, { message: `must be one of ${TLS_VERSIONS.join(', ')}` })
  tlsMinVersion: TlsVersion = 'VersionTLS12';

  @Setting({
    kind: 'list',
    help: `The cipher suites of TLS 1.2, by Go's names (default: those with authenticated encryption), of: ${CIPHER_SUITES.join(', ')}.`,
    placeholder: 'names',
  })
  @IsIn([...CIPHER_SUITES, ...TLS13_CIPHER_SUITES], { each: true, message: `must be of: ${CIPHER_SUITES.join(', ')}` })
  tlsCipherSuites: string[] = [];

  @Setting({
    kind: 'list',
    help: 'Further names and addresses of clients for this server, which a generated serving certificate is to cover.',
    placeholder: 'names',
  })
  // eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
  @Matches(/^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$|^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/, {
    each: true,
    message: 'must be host names and IP addresses',
  })
  tlsSan: string[] = [];

  @Setting({
    kind: 'text',
    help: 'A file that holds the key for the secrets that servers on one database share there (default: the password of the database connection).',
    placeholder: 'file',
  })
  secretsKeyFile = '';

  @Setting({ kind: 'boolean', help: 'Serves Swagger UI at /swagger, to everybody: it holds no secrets.', placeholder: 'bool' })
  swaggerUi = true;

  @Setting({
    kind: 'boolean',
    help: 'Serves the dashboard at /ui/, to everybody: it holds no secrets, and shows its users what they may see.',
    placeholder: 'bool',
  })
  ui = true;

  @Setting({
    kind: 'list',
    help: "Origins, such as https://dashboard.example, whose pages may watch over WebSockets with their user's client certificate, or with none; this server's own always may, and with a token any may.",
    placeholder: 'origins',
  })
  @Matches(/^https?:\/\/[^/?#]+$/, { each: true, message: 'must be origins like https://dashboard.example' })
  webSocketAllowedOrigins: string[] = [];

  @Setting({
    kind: 'list',
    help: `Admission plugins to enable beside the default ones, of: ${ADMISSION_PLUGINS.join(', ')}.`,
    placeholder: 'names',
  })
  @IsIn(ADMISSION_PLUGINS, { each: true, message: `must be of: ${ADMISSION_PLUGINS.join(', ')}` })
  enableAdmissionPlugins: string[] = [];

  @Setting({
    kind: 'list',
    help: 'The API versions that are served, as group/version=true or =false; api/all, api/ga, api/beta and api/alpha stand for many.',
    placeholder: 'switches',
  })
  runtimeConfig: string[] = [];

  @Setting({
    kind: 'list',
    help: `Which controllers run: * are all, name one more, -name one less, of: ${CONTROLLERS.join(', ')}.`,
    placeholder: 'names',
  })
  @IsIn(['*', ...CONTROLLERS, ...CONTROLLERS.map((name) => `-${name}`)], {
    each: true,
    message: `must be *, or with or without - before it of: ${CONTROLLERS.join(', ')}`,
  })
  controllers: string[] = ['*'];

  @Setting({
    kind: 'boolean',
    help: 'Shares the --max-requests-inflight and --max-mutating-requests-inflight, added up, among priority levels with fair queues.',
    placeholder: 'bool',
  })
  enablePriorityAndFairness = true;

  @Setting({ kind: 'integer', help: 'The most reading requests that are served at a time; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxRequestsInflight = 400;

  @Setting({ kind: 'integer', help: 'The most writing requests that are served at a time; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxMutatingRequestsInflight = 200;

  @Setting({
    kind: 'integer',
    help: 'The most watches that one user may have open, except members of system:masters; 0 sets no limit.',
    placeholder: 'count',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxWatchesPerUser = 2000;

  @Setting({
    kind: 'integer',
    help: 'The most connections that are open at a time; 0 sets no limit, -1 takes what a quarter of the memory of the process is enough for, 1000 to 10000. Beyond it, the one without a known user that has been idle for longest is closed.',
    placeholder: 'count',
  })
  @Min(-1, { message: 'must be -1 or more' })
  maxConnections = -1;

  @Setting({
    kind: 'integer',
    help: 'The most connections from one remote address; 0 sets no limit, -1 is half of --max-connections. Clients behind a proxy share its address.',
    placeholder: 'count',
  })
  @Min(-1, { message: 'must be -1 or more' })
  maxConnectionsPerAddress = -1;

  @Setting({
    kind: 'integer',
    help: 'The most requests at a time on one HTTP/2 connection; 0 is 100.',
    placeholder: 'count',
  })
  @Min(0, { message: NOT_NEGATIVE })
  http2MaxStreamsPerConnection = 0;

  @Setting({
    kind: 'duration',
    help: 'How long a client may leave an answer unread; then the answer is reset, or the connection closed. 0 waits for ever.',
  })
  @Min(0, { message: NOT_NEGATIVE })
  answerStallTimeout = DEFAULT_PATIENCE.stallMs;

  @Setting({
    kind: 'integer',
    help: 'The most bytes that all clients make the server hold; then the largest users are cut off. 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxHeldBytes = DEFAULT_MEMORY_LIMITS.process;

  @Setting({
    kind: 'integer',
    help: 'The most bytes that one user, or one address before authentication, makes the server hold; 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxHeldBytesPerUser = DEFAULT_MEMORY_LIMITS.owner;

  @Setting({ kind: 'integer', help: 'The most bytes that one connection makes the server hold; 0 sets no limit.', placeholder: 'bytes' })
  @Min(0, { message: NOT_NEGATIVE })
  maxHeldBytesPerConnection = DEFAULT_MEMORY_LIMITS.connection;

  @Setting({
    kind: 'text',
    help: "The implementation of HTTP/2: own, this server's, or node, Node.js's with nghttp2, which costs more CPU and is there in case a fault is found in ours.",
    placeholder: 'name',
  })
  @IsIn(HTTP2_IMPLEMENTATIONS, { message: 'must be own or node' })
  http2Implementation: Http2Implementation = 'own';

  @Setting({
    kind: 'number',
    help: 'The share of HTTP/2 requests after which the client is asked to reconnect, so that clients spread over servers: 0 to 0.02.',
    placeholder: 'chance',
  })
  @Min(0, { message: 'must be between 0 and 0.02' })
  @Max(0.02, { message: 'must be between 0 and 0.02' })
  goawayChance = 0;

  @Setting({ kind: 'duration', help: 'How long a request other than a watch may take.' })
  @Min(1, { message: 'must be longer than 0' })
  requestTimeout = 60_000;

  @Setting({
    kind: 'integer',
    help: 'The shortest time, in seconds, for which a watch without a timeout lasts; each lasts up to twice that.',
    placeholder: 'seconds',
  })
  @Min(1, { message: 'must be at least 1' })
  minRequestTimeout = 1800;

  @Setting({ kind: 'duration', help: 'How often old revisions are dropped; 0 never does. A watch can go back one to two intervals.' })
  @Min(0)
  compactionInterval = 300_000;

  @Setting({ kind: 'duration', help: 'How long events are kept after their last change.' })
  @Min(1000, { message: 'must be at least 1s' })
  eventTtl = 3_600_000;

  @Setting({ kind: 'integer', help: 'The most objects that are kept; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxObjects = 0;

  @Setting({
    kind: 'integer',
    help: 'The most bytes that all objects together may take, encoded as JSON; 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxBytes = 268_435_456;

  @Setting({ kind: 'integer', help: 'The most objects that are kept in one namespace; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxObjectsPerNamespace = 0;

  @Setting({ kind: 'integer', help: 'The most bytes that the objects of one namespace may take; 0 sets no limit.', placeholder: 'bytes' })
  @Min(0, { message: NOT_NEGATIVE })
  maxBytesPerNamespace = 0;

  @Setting({ kind: 'text', help: `How much is logged: ${LOG_LEVELS.join(', ')}.`, placeholder: 'level' })
  @IsIn(LOG_LEVELS, { message: `must be one of ${LOG_LEVELS.join(', ')}` })
  logLevel: LogLevel = 'info';

  @Setting({
    kind: 'integer',
    help: 'How much is logged, as a number of klog: 4 and more is debug, 8 and more is trace; the more verbose of this and --log-level wins.',
    placeholder: 'number',
  })
  @IsInt()
  @Min(0, { message: NOT_NEGATIVE })
  v = 0;

  @Setting({
    kind: 'text',
    help: `How it is logged: ${LOG_FORMATS.join(', ')}; auto is text on a terminal and json elsewhere.`,
    placeholder: 'format',
  })
  @IsIn(LOG_FORMATS, { message: `must be one of ${LOG_FORMATS.join(', ')}` })
  loggingFormat: LogFormat = 'auto';

  @Setting({
    kind: 'text',
    help: 'A TracingConfiguration of apiserver.config.k8s.io/v1 whose endpoint takes OTLP over HTTP; without it nothing is traced.',
    placeholder: 'file',
  })
  tracingConfigFile = '';

  @Setting({ kind: 'duration', help: 'Requests other than watches that take longer are logged; 0 logs none.' })
  @Min(0)
  slowRequestThreshold = 500;
}
