import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { REFERENCE, upstreamHome } from '../../bench/contenders/find-upstream.js';

/** A program from outside npm, and its oldest usable version. */
export interface Tool {
  readonly program: string;
  /** The missing part to report, if it is not the program itself. */
  readonly part?: string;
  /** The arguments that print its version. */
  readonly version: readonly string[];
  /** `major.minor`. */
  readonly atLeast: string;
}

/** Why the tool cannot be used here; undefined if it can. */
export function whyNot({ program, part = program, version, atLeast }: Tool): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, version, { encoding: 'utf8' });
  if (status !== 0) return `${part} is not installed`;
  const found = /(\d+)\.(\d+)/.exec(stdout + stderr);
  if (!found) return `${program} does not tell its version`;
  return isOlder(found[0], atLeast) ? `${program} ${found[0]} is older than ${atLeast}` : undefined;
}

function isOlder(version: string, limit: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [limitMajor = 0, limitMinor = 0] = limit.split('.').map(Number);
  return major < limitMajor || (major === limitMajor && minor < limitMinor);
}

/** A suite that needs programs from outside npm; without them it is reported as skipped, with the reason. */
export function describeWith(tools: readonly Tool[], title: string, suite: () => void): void {
  const reasons = tools.map(whyNot).filter((reason) => reason !== undefined);
  describeUnless(reasons.join(', ') || undefined, title, suite);
}

/** A suite that cannot run for a reason is reported as skipped, with the reason. */
export function describeUnless(reason: string | undefined, title: string, suite: () => void): void {
  if (reason === undefined) describe(title, suite);
  else describe(title, () => test.skip(`skipped: ${reason}`, () => undefined));
}

/** Programs that test/upstream/build.sh builds: kubectl of the release whose answers this server gives, and one that is years old. */
const KUBECTL_RELEASES = ['1.30.14', process.env['KUBE'] || REFERENCE];

/** A suite for kubectl of the PATH, and one for each of these releases. `tools` are what it needs, kubectl included. */
export function describeWithKubectls(tools: readonly Tool[], title: string, suite: (kubectl: string) => void): void {
  describeWith(tools, title, () => suite(KUBECTL.program));
  for (const release of KUBECTL_RELEASES) {
    const program = path.join(upstreamHome({ KUBE: release }), 'bin', KUBECTL.program);
    const built = tools.map((tool) => (tool.program === KUBECTL.program ? { ...tool, program, part: `kubectl ${release}` } : tool));
    describeWith(built, `${title} ${release}`, () => suite(program));
  }
}

export const GO: Tool = { program: 'go', version: ['version'], atLeast: '1.26' };
export const KUBECTL: Tool = { program: 'kubectl', version: ['version', '--client'], atLeast: '1.20' };
/** `kubectl events`. */
export const KUBECTL_WITH_EVENTS: Tool = { ...KUBECTL, atLeast: '1.27' };
/** `kubectl auth whoami`. */
export const KUBECTL_WITH_WHOAMI: Tool = { ...KUBECTL, atLeast: '1.28' };
/** `kubectl kustomize` as the manifests of deploy/ need it. */
export const KUSTOMIZE: Tool = { ...KUBECTL, atLeast: '1.27' };
export const PYTHON: Tool = { program: 'python3', version: ['--version'], atLeast: '3.10' };
/** Debian packages it separately from Python; it provides venvs with pip. */
export const PYTHON_VENV: Tool = {
  program: 'python3',
  part: 'python3-venv',
  version: ['-c', 'import ensurepip, sys; print(sys.version)'],
  atLeast: '3.10',
};
export const PGBOUNCER: Tool = { program: 'pgbouncer', version: ['--version'], atLeast: '1.18' };
export const HAPROXY: Tool = { program: 'haproxy', version: ['-v'], atLeast: '2.4' };
export const CHROMIUM: Tool = { program: 'chromium', part: 'Chromium', version: ['--version'], atLeast: '123.0' };
export const SYSTEMD: Tool = { program: 'systemd-analyze', part: 'systemd', version: ['--version'], atLeast: '250.0' };
export const CARGO: Tool = { program: 'cargo', version: ['--version'], atLeast: '1.89' };
export const MAVEN: Tool = { program: 'mvn', version: ['--version'], atLeast: '3.6' };
export const JAVAC: Tool = { program: 'javac', version: ['-version'], atLeast: '17.0' };
/** With its driver for PostgreSQL, and rufus-scheduler: Debian's ruby-pg and ruby-rufus-scheduler. */
export const RUFUS: Tool = {
  program: 'ruby',
  part: 'Ruby with pg and rufus-scheduler',
  version: ['-r', 'pg', '-r', 'rufus-scheduler', '-e', 'puts RUBY_VERSION'],
  atLeast: '3.0',
};
export const CURL: Tool = { program: 'curl', version: ['--version'], atLeast: '7.76' };
export const OPENSSL: Tool = { program: 'openssl', version: ['version'], atLeast: '3.0' };
/** Debian packages it with Prometheus. */
export const PROMTOOL: Tool = { program: 'promtool', part: 'prometheus', version: ['--version'], atLeast: '2.42' };
export const TERRAFORM: Tool = { program: 'terraform', version: ['version'], atLeast: '1.4' };
export const RUBY: Tool = { program: 'ruby', version: ['--version'], atLeast: '3.0' };
export const PHP: Tool = { program: 'php', part: 'php-cli with curl', version: ['-r', 'curl_init(); echo PHP_VERSION;'], atLeast: '8.0' };
export const PERL: Tool = {
  program: 'perl',
  part: 'IO::Socket::SSL',
  version: ['-MIO::Socket::SSL', '-e', 'printf "%vd", $^V'],
  atLeast: '5.20',
};
export const ELIXIR: Tool = { program: 'elixir', version: ['--version'], atLeast: '1.14' };
/** With mono-mcs and ca-certificates-mono. */
export const MONO: Tool = { program: 'sh', part: 'mono', version: ['-c', 'command -v cert-sync mono && mcs --version'], atLeast: '6.8' };
