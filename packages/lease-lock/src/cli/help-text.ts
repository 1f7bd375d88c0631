const SERVER = `Where the leases are (as for kubectl; by default $KUBECONFIG, ~/.kube/config or the pod's service account):
      --kubeconfig FILE              kubeconfig
      --context NAME                 context of the kubeconfig [the current one]
      --server URL                   a server instead of a kubeconfig, with
      --token TOKEN, --token-file FILE, --certificate-authority FILE, --insecure-skip-tls-verify
      --database-url URL             instead of a server its PostgreSQL, with libpq's variables and files; nobody queues there
      --database-schema NAME         schema of the server's tables [coordination]`;

const COMMON = `      --slots N                      how many may hold the lock at the same time, the same for everybody [1]
  -n, --namespace NAME               namespace of the leases [that of the context, or default]
      --duration TIME                how long a crashed holder keeps the lock [15s]
      --grace TIME                   between SIGTERM and SIGKILL when the lease is lost [a third of the duration]
      --holder TEXT                  shown as the holder, followed by random characters [host and process]
      --shell                        the command is a line for /bin/sh
      --verbose                      says on stderr what happens`;

const ENVIRONMENT = `The command finds LEASE_NAME, LEASE_NAMESPACE, LEASE_HOLDER, LEASE_SLOT and the fencing token LEASE_TOKEN in its environment.`;

const CODES = `Exit codes: the command's; 128+N after signal N; 75 not acquired in time; 76 lease lost; 69 server unreachable; 77 server refuses;
78 no usable configuration; 64 usage; 126 and 127 the command cannot be executed or found.`;

export function helpText(program: string): string {
  return `Usage:
  ${program} lock NAME [options] -- command args...
  ${program} elect NAME [options] -- command args...

lock runs the command while it holds a lock, elect whenever it does, again and again. Contenders are served in the order in which they came.
A lost lease stops the command before anybody else can hold it.

Options of lock:
      --wait TIME                    how long to wait, such as 30s or 1m30s [without limit]
      --fail-fast                    does not wait
      --conflict-exit-code CODE      exit code if the lock was not free in time [75]
      --quiet                        no message in that case

Options of both:
${COMMON}

${SERVER}

${ENVIRONMENT}
${CODES}
`;
}
