// The layer order of ARCHITECTURE.md: each folder may import only those to its left.
const layers = [
  'time',
  'apimachinery',
  'settings',
  'kube',
  'telemetry',
  'storage',
  'registry',
  'auth',
  'audit',
  'endpoints',
  'apis',
  'controllers',
  'server',
  'cli',
];

// Layers whose folders must not depend on each other in a cycle. Add a layer here as soon as its folders are acyclic.
const acyclicLayers = ['apimachinery', 'telemetry', 'storage', 'registry', 'auth', 'audit', 'endpoints', 'controllers', 'server', 'cli'];

// The order of ARCHITECTURE.md of the folders of src/endpoints: each level may import only those above it in this list.
const endpointLevels = [
  ['ledger', 'metrics', 'request-info'],
  ['exchange'],
  ['connections'],
  ['flow-control'],
  ['settings', 'http2', 'http2-node'],
  ['request'],
  ['refusals', 'negotiation'],
  ['response'],
  ['scope', 'routing'],
  ['writers'],
  ['web-socket'],
  ['handlers'],
  ['pipeline'],
  ['http-server', 'discovery', 'monitoring', 'openid'],
  ['openapi'],
  ['swagger', 'dashboard'],
];

// Files of src/storage that know its folders; the others are the contract that the folders share.
const storageOpening = '^src/storage/(open-storage|open-memory-storage|storage|storage-metrics|storage\\.settings|storage\\.module)\\.ts$';

const upward = layers.slice(0, -1).map((layer, at) => ({
  name: `${layer}-imports-no-higher-layer`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${[...layers.slice(at + 1), 'app\\.module', 'testing', 'main'].join('|')})(/|\\.)` },
}));

const upwardInEndpoints = endpointLevels.flatMap((level, at) =>
  level.map((folder) => ({
    name: `endpoints-${folder}-imports-only-what-is-below`,
    severity: 'error',
    from: { path: `^src/endpoints/${folder}/` },
    to: { path: '^src/endpoints/', pathNot: `^src/endpoints/(${[folder, ...endpointLevels.slice(0, at).flat()].join('|')})/` },
  })),
);

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-circular-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: `^src/(${acyclicLayers.join('|')})/` },
      to: { circular: true },
    },
    ...upward,
    ...upwardInEndpoints,
    {
      name: 'subfolders-never-import-their-parent',
      comment: 'The folder rule counts subfolders as part of their parent, so it does not see cycles between the two.',
      severity: 'error',
      from: { path: '^src/((apimachinery|endpoints).*)/[^/]+/[^/]+$' },
      to: { path: '^src/$1/[^/]+$' },
    },
    {
      name: 'storage-contract-below-its-folders',
      comment: 'Files of src/storage itself are either the contract, or open what the folders implement.',
      severity: 'error',
      from: { path: '^src/storage/[^/]+$', pathNot: storageOpening },
      to: { path: `^src/storage/[^/]+/|${storageOpening}` },
    },
    {
      name: 'storage-folders-below-what-opens-them',
      severity: 'error',
      from: { path: '^src/storage/[^/]+/' },
      to: { path: storageOpening },
    },
    {
      name: 'repositories-only-in-storage',
      comment:
        'The layers above use the contract, and what `Storage` in storage.ts has. The server for tests orders faults of the store in memory, and commands open the secrets of a database.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(storage|testing)/' },
      to: { path: '^src/storage/(postgres|watch-cache|notify|memory)/', pathNot: '/secret\\.repository\\.ts$' },
    },
    {
      name: 'pure-apimachinery',
      severity: 'error',
      from: { path: '^src/apimachinery/' },
      to: { path: 'node_modules/(@nestjs|pg|kysely|fastify)/' },
    },
    {
      name: 'database-only-in-storage',
      severity: 'error',
      from: { pathNot: '^(src/storage|packages/lease-lock/src/connection)/' },
      to: { path: 'node_modules/(pg|kysely)/' },
    },
    {
      name: 'packages-stand-alone',
      comment:
        'The published packages in packages/ have no dependencies (testing bundles the built program), and share kube-client alone, which is bundled with each; what lease-lock loads on demand is bundled with it, or optional, and so is how both choose a server, read kubeconfigs, explain failed connections, print text of others and parse a database URL, and the rules of handing a lease over.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '^packages/(dashboard|testing|lease-mcp)/' },
      to: {
        pathNot:
          '^(packages/(kube-client|$1)/|src/(kube/(choose-server|connection-failure|exec-plugin|kubeconfig|kube-target)|settings/start-error|apimachinery/(election/hand-over|text/printable|schema/is-object)|storage/database/(hosts/(check-url|database-hosts)|session/database-start-error))\\.ts$|node_modules/(yaml|pg|@types/pg)/)',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'commands-above-packages',
      comment: 'Commands load packages, so that these import nothing of the commands; testing bundles one.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/testing/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'dashboard-knows-the-api-alone',
      comment: 'The page is an ordinary client: it imports nothing of the server or of Node.js, and only Preact.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/' },
      to: { pathNot: '^(packages/dashboard/src/|node_modules/preact/)' },
    },
    {
      name: 'nest-never-in-pure-registry',
      severity: 'error',
      from: { path: '^src/registry/', pathNot: '(\\.module|/serves|/store-of)\\.ts$' },
      to: { path: 'node_modules/@nestjs/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
