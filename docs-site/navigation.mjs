/** The pages beside every page. All others are reached by links of these. */
export const NAVIGATION = [
  {
    title: 'Start',
    pages: [
      ['README.md', 'Overview'],
      ['docs/README.md', 'All pages'],
      ['docs/concepts.md', 'Concepts'],
      ['docs/dashboard.md', 'Dashboard'],
      ['docs/alternatives.md', 'Beside others'],
    ],
  },
  {
    title: 'Use',
    pages: [
      ['docs/clients/go.md', 'Go'],
      ['docs/clients/typescript.md', 'TypeScript'],
      ['docs/clients/python.md', 'Python'],
      ['docs/clients/java.md', 'Java'],
      ['docs/clients/rust.md', 'Rust'],
      ['docs/clients/http.md', 'Any language, over HTTP'],
      ['docs/clients/sql.md', 'SQL clients'],
      ['docs/locks.md', 'Locks for the shell'],
      ['docs/frameworks.md', 'Schedulers and frameworks'],
      ['docs/sql.md', 'Leases in SQL'],
      ['docs/terms.md', 'Terms: who led'],
      ['docs/refusals.md', 'Refusals: who knocks in vain'],
    ],
  },
  {
    title: 'Run',
    pages: [
      ['docs/operations.md', 'Operations'],
      ['docs/cluster.md', 'Behind a cluster'],
      ['docs/configuration.md', 'Configuration'],
      ['docs/commands.md', 'Commands'],
      ['docs/troubleshooting.md', 'Troubleshooting'],
      ['docs/errors.md', 'Errors'],
      ['docs/audit.md', 'Audit'],
    ],
  },
  {
    title: 'Know',
    pages: [
      ['docs/guarantees.md', 'Guarantees'],
      ['docs/robustness.md', 'Robustness'],
      ['docs/performance.md', 'Performance'],
      ['docs/compatibility.md', 'Compatibility'],
      ['docs/decisions/README.md', 'Decisions'],
      ['ARCHITECTURE.md', 'Architecture'],
      ['CONTRIBUTING.md', 'Contributing'],
      ['docs/development/testing.md', 'Tests'],
      ['docs/development/programs.md', 'Programs'],
      ['docs/development/releasing.md', 'Releases'],
      ['SECURITY.md', 'Security'],
      ['CHANGELOG.md', 'Changelog'],
    ],
  },
];
