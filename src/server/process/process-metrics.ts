import type { ServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { PROGRAM_VERSION } from '../../settings/program-version.js';
import { VERSION } from './version.js';

/** Registers metrics of the process's identity and resource usage. */
export function collectProcessMetrics({ main, slis }: ServerMetrics): void {
  main.collectProcess();
  const started = { name: 'process_start_time_seconds', help: 'Start time of the process since unix epoch in seconds.' };
  slis
    .gauge(started)
    .with()
    .set(Date.now() / 1000 - process.uptime());
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = VERSION;
  const labels = ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'go_version', 'compiler', 'platform'];
  main
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Constant 1, labelled with the Kubernetes release whose API is served, as in /version.',
      labels,
    })
    .with(major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform)
    .set(1);
  main
    .gauge({ name: 'coordination_build_info', help: 'Constant 1, labelled with the release of this program.', labels: ['version', 'node'] })
    .with(PROGRAM_VERSION, process.version)
    .set(1);
}
