// The layer order of ARCHITECTURE.md: each folder may import only those that stand left of it.
const layers = [
  'apimachinery',
  'telemetry',
  'storage',
  'registry',
  'auth',
  'audit',
  'endpoints',
  'apis',
  'controllers',
  'dashboard',
  'server',
  'cli',
];

const upward = layers.slice(0, -1).map((layer, at) => ({
  name: `${layer}-imports-no-higher-layer`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: `^src/(${[...layers.slice(at + 1), 'app\\.module', 'main', 'worker'].join('|')})(/|\\.)` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...upward,
    {
      name: 'pure-apimachinery',
      severity: 'error',
      from: { path: '^src/apimachinery/' },
      to: { path: 'node_modules/(@nestjs|pg|kysely|fastify)/' },
    },
    { name: 'database-only-in-storage', severity: 'error', from: { pathNot: '^src/storage/' }, to: { path: 'node_modules/(pg|kysely)/' } },
    {
      name: 'packages-stand-alone',
      comment: 'What is published from packages/ has no dependencies at all.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/dashboard/' },
      to: { pathNot: '^packages/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'dashboard-knows-the-api-alone',
      comment: 'The page is a client like any other: nothing of the server, nothing of Node.js, and Preact alone.',
      severity: 'error',
      from: { path: '^packages/dashboard/src/' },
      to: { pathNot: '^(packages/dashboard/src/|node_modules/preact/)' },
    },
    {
      name: 'nest-never-in-pure-registry',
      severity: 'error',
      from: { path: '^src/registry/', pathNot: '\\.module\\.ts$' },
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
