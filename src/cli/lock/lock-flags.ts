const OF_LOCK = ['--wait <time>', '--fail-fast', '--conflict-exit-code <code>', '--quiet'];

const OF_ELECT = ['--priority <n>'];

const COMMON = [
  '--slots <n>',
  '-n, --namespace <name>',
  '--duration <time>',
  '--grace <time>',
  '--max-term <time>',
  '--drain <time>',
  '--holder <text>',
  '--shell',
  '--verbose',
  '--kubeconfig <file>',
  '--context <name>',
  '--server <url>',
  '--token <token>',
  '--token-file <file>',
  '--certificate-authority <file>',
  '--insecure-skip-tls-verify',
  '--database-url <url>',
  '--database-schema <name>',
];

/** The flags of packages/lease-lock's program, for completion; its own help describes them. */
export const LOCK_FLAGS: readonly string[] = [...OF_LOCK, ...COMMON];
export const ELECT_FLAGS: readonly string[] = [...OF_ELECT, ...COMMON];
