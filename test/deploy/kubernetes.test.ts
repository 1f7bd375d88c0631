import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { describeWith, GO, KUSTOMIZE } from '../clients/toolchain.js';
import { commandSettings, filesOf } from './command-settings.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { DATABASE, DeployPrograms, IMAGE, kustomize, values } from './deploy-programs.js';
import { type Container, type Manifest, containersOf, Manifests, selects } from './manifests.js';

const root = path.resolve(import.meta.dirname, '../..');
const version = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
const chart = (file: string): unknown => parse(readFileSync(path.join(root, 'deploy/helm/coordination-apiserver', file), 'utf8'));

const CLOUDNATIVE_PG = path.join(root, 'deploy/helm/coordination-apiserver/examples/cloudnative-pg-values.yaml');

const BEHIND_CLUSTER = path.join(root, 'deploy/helm/coordination-apiserver/examples/behind-cluster-values.yaml');

/** Older versions do not know all fields of a kustomization. */
describeWith([GO, KUSTOMIZE], 'Kubernetes', () => {
  const scratch = scratchDirectory();
  let programs: DeployPrograms;
  beforeAll(async () => {
    programs = await DeployPrograms.build();
  }, 600_000);

  const RENDERINGS: Readonly<Record<string, () => Promise<string>>> = {
    'the chart by default': () => programs.template('coordination-apiserver', IMAGE, DATABASE),
    'the chart with everything': () => programs.template('elections', values('everything')),
    'the chart with nothing': () => programs.template('elections', values('nothing')),
    'the chart with Secrets of the user': () => programs.template('elections', values('own-secrets')),
    'the chart with CloudNativePG': () => programs.template('elections', IMAGE, `--values=${CLOUDNATIVE_PG}`),
    'the chart behind a cluster': () => programs.template('elections', IMAGE, `--values=${BEHIND_CLUSTER}`),
    'the base of kustomize': () => kustomize('base'),
    'the trial': () => kustomize('overlays/trial'),
    'the production example': () => kustomize('overlays/production'),
  };

  describe.each(Object.keys(RENDERINGS))('%s', (name) => {
    let text: string;
    let manifests: Manifests;
    beforeAll(async () => {
      text = (await RENDERINGS[name]?.()) ?? '';
      manifests = new Manifests(text);
    });

    /** The settings of a container with the server's image. */
    const settings = (container: Container) => {
      const config = manifests.kind('ConfigMap')[0];
      const file = path.join(scratch, 'config.yaml');
      writeFileSync(file, config?.data?.['config.yaml'] ?? '');
      return commandSettings({
        // A script is named after the subcommand that it runs with these arguments.
        args: [...(container.command?.slice(-1) ?? []), ...(container.args ?? [])],
        environment: {
          ...(container.envFrom ? config?.data : {}),
          ...Object.fromEntries((container.env ?? []).map(({ name, value = 'postgresql://from@secret/database' }) => [name, value])),
        },
        file: container.args?.includes('--config=/config/config.yaml') ? file : undefined,
      });
    };
    const pods = () => manifests.pods.map(({ spec }) => spec);
    const server = () => manifests.one('Deployment').spec.template;
    const serving = () => server().spec.containers[0]!;

    test('is strictly valid', async () => {
      expect(await programs.check(text)).toMatchObject({ stdout: `${manifests.all.length} valid, 0 not\n`, code: 0 });
      expect(manifests.all.length).toBeGreaterThanOrEqual(4);
    });

    test('has settings that this version knows, and mounts the files they name', () => {
      for (const pod of pods()) {
        for (const container of containersOf(pod)) {
          const config = settings(container);
          const { databasePasswordFile, databaseUrl } = config;
          const authority = new URL(databaseUrl).searchParams.get('sslrootcert') ?? '';
          const serves = container.args?.[0] === 'serve';
          const needed = [...(serves ? filesOf(config) : [databasePasswordFile]), authority].filter(Boolean);
          const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
          expect(needed.filter((file) => !mounted.includes(path.dirname(file)))).toEqual([]);
        }
      }
      expect(settings(serving())).toMatchObject({ anonymousAuthPaths: ['/livez', '/readyz'], tlsMinVersion: 'VersionTLS12' });
      expect(settings(serving()).secretsKeyFile).not.toBe('');
    });

    test('uses the served port in probes, Service and NetworkPolicy', () => {
      const { securePort, anonymousAuthPaths } = settings(serving());
      const ports = new Map(serving().ports?.map(({ name, containerPort }) => [name, containerPort]));
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const { path: asked = '', port = '', scheme } = serving()[probe]?.httpGet ?? {};
        expect([ports.get(port), scheme, anonymousAuthPaths.includes(asked)]).toEqual([securePort, 'HTTPS', true]);
      }
      const service = manifests.kind('Service').find(({ metadata }) => metadata.name.includes('coordination-apiserver'))!;
      expect(service.spec.ports.map(({ targetPort }) => ports.get(targetPort))).toEqual([securePort]);
      for (const { spec } of manifests.kind('NetworkPolicy')) {
        expect(spec.ingress.flatMap((rule) => rule.ports)).toEqual([{ port: securePort, protocol: 'TCP' }]);
        const database = settings(serving()).databaseUrl;
        expect(spec.egress[1]?.ports.map(({ port }) => port)).toContain(Number(new URL(database).port || 5432));
      }
      for (const { spec } of manifests.kind('ServiceMonitor')) {
        expect(service.spec.ports.map(({ name }) => name)).toEqual(spec.endpoints.map(({ port }) => port));
        expect(selects(spec.selector.matchLabels, service.metadata.labels ?? {})).toBe(true);
      }
    });

    test('selects the servers and nothing else', () => {
      const { labels } = server().metadata;
      const jobs = manifests.pods.filter(({ metadata }) => metadata.labels !== labels);
      const others = [...jobs, ...manifests.kind('StatefulSet').map(({ spec }) => spec.template)].map(({ metadata }) => metadata.labels);
      const { spec } = manifests.one('Deployment');
      const service = manifests.kind('Service').find(({ metadata }) => metadata.name.includes('coordination-apiserver'))!;
      const selectors = [
        spec.selector.matchLabels,
        service.spec.selector,
        ...manifests.kind('PodDisruptionBudget').map((budget) => budget.spec.selector.matchLabels),
        ...[...JSON.stringify(server().spec).matchAll(/"labelSelector":\{"matchLabels":(\{[^}]*\})\}/g)].map(
          ([, json]) => JSON.parse(json!) as Record<string, string>,
        ),
      ];
      expect(selectors.length).toBeGreaterThanOrEqual(4);
      for (const selector of selectors) {
        expect(selects(selector, labels)).toBe(true);
        for (const other of others) expect(selects(selector, other)).toBe(false);
      }
      // A Deployment's selector is immutable, so it must not contain labels that change with the version.
      expect(Object.keys(spec.selector.matchLabels)).not.toContain('app.kubernetes.io/version');
      expect(Object.keys(spec.selector.matchLabels)).not.toContain('helm.sh/chart');
    });

    test('applies the same network policy to servers, migrations and backups', () => {
      for (const { spec } of manifests.kind('NetworkPolicy')) {
        for (const { metadata } of manifests.pods) expect(selects(spec.podSelector.matchLabels, metadata.labels)).toBe(true);
        for (const { spec: other } of manifests.kind('StatefulSet')) {
          expect(selects(spec.podSelector.matchLabels, other.template.metadata.labels)).toBe(false);
        }
      }
    });

    test('gives pods no more rights than they need', () => {
      const serverPod = server().spec;
      for (const pod of [...pods(), ...manifests.kind('StatefulSet').map(({ spec }) => spec.template.spec)]) {
        expect(pod).toMatchObject({
          // Only servers behind a cluster have something to ask it.
          automountServiceAccountToken: pod === serverPod && settings(serving()).clusterKubeconfig === 'in-cluster',
          // Otherwise a Service's COORDINATION_APISERVER_PORT would be read as an unknown setting.
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const { securityContext, volumeMounts } of containersOf(pod)) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          const volumes = new Set(pod.volumes.map((volume) => volume.name));
          expect(volumeMounts.filter((mount) => !volumes.has(mount.name) && pod.containers[0]?.name !== 'postgresql')).toEqual([]);
        }
      }
    });

    test('stops and replaces servers without a gap', () => {
      const { spec } = manifests.one('Deployment');
      expect(spec).toMatchObject({
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: { spec: { containers: [{ lifecycle: { preStop: { sleep: { seconds: 5 } } } }], affinity: { podAntiAffinity: {} } } },
      });
      // docs/operations.md: 25 s in total.
      expect(server().spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(5 + 25);
    });

    test('refers only to Secrets and ConfigMaps that it creates or that the user has named', () => {
      const made = new Set(manifests.all.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
      for (const { spec } of manifests.kind('Certificate')) made.add(`Secret/${spec.secretName}`);
      const named = [
        ...JSON.stringify(manifests.all).matchAll(/"secretName":"([^"]+)"|"(?:secretKeyRef|credentials)":\{[^}]*"name":"([^"]+)"/g),
      ];
      const missing = new Set(named.map(([, one, other]) => one ?? other ?? '').filter((secret) => !made.has(`Secret/${secret}`)));
      expect([...missing].sort()).toEqual(USERS_SECRETS[name]);
      const maps = [...JSON.stringify(pods()).matchAll(/"configMap(?:Ref)?":\{"name":"([^"]+)"/g)].map(([, map = '']) => map);
      expect(maps.filter((map) => map !== 'ca' && !made.has(`ConfigMap/${map}`))).toEqual([]);
    });

    test('runs the image of this version', () => {
      const images = new Set(pods().flatMap((pod) => containersOf(pod).map(({ image }) => image)));
      const tag = name === 'the chart with everything' ? 'latest' : version;
      expect([...images]).toEqual([expect.stringMatching(new RegExp(`(^|/)coordination-apiserver:${tag.replaceAll('.', '\\.')}$`))]);
    });
  });

  const USERS_SECRETS: Readonly<Record<string, readonly string[]>> = {
    'the chart by default': ['coordination-apiserver-database'],
    'the chart with everything': ['my-key', 'my-tls', 'pg-app', 'pg-owner', 'pg-standby'],
    'the chart with nothing': [],
    'the chart with Secrets of the user': ['db-ca', 'db-leases', 'leases'],
    'the chart with CloudNativePG': ['leases-db-app', 'leases-db-ca'],
    'the chart behind a cluster': ['coordination-apiserver-database'],
    'the base of kustomize': ['coordination-apiserver'],
    'the trial': ['coordination-apiserver'],
    'the production example': ['coordination-apiserver', 'coordination-apiserver-tls', 'coordination-apiserver-tokens'],
  };

  test("the chart passes helm lint and has the program's version", async () => {
    for (const file of ['everything', 'nothing', 'own-secrets']) {
      expect((await programs.helm(['lint', '--strict'], values(file))).stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    }
    expect(chart('Chart.yaml')).toMatchObject({ version, appVersion: version });
  });

  test('everything.yaml changes every value', () => {
    const changed = parse(readFileSync(path.join(import.meta.dirname, 'values/everything.yaml'), 'utf8')) as object;
    const untouched = Object.keys(chart('values.yaml') as object).filter((key) => !(key in changed));
    expect(untouched).toEqual(['resources', 'disruptionBudget']);
  });

  test('the migrations need nothing that the chart creates, because they run before the first install', async () => {
    const manifests = new Manifests(await programs.template('elections', values('everything')));
    const job: Manifest = manifests.one('Job');
    expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const made = manifests.all.map(({ metadata }) => metadata.name).filter((name) => name !== job.metadata.name);
    for (const name of made) expect(JSON.stringify(job.spec)).not.toContain(`"${name}"`);
    expect(JSON.stringify(job.spec)).toContain('"pg-owner"');
  });

  test('the dashboard in the ConfigMap equals deploy/grafana', async () => {
    const manifests = new Manifests(await programs.template('elections', values('everything')));
    const { data, metadata } = manifests.kind('ConfigMap').find(({ metadata: { name } }) => name.endsWith('-dashboard'))!;
    const file = 'coordination-apiserver.json';
    expect(data?.[file]?.trim()).toBe(readFileSync(path.join(root, 'deploy/grafana', file), 'utf8').trim());
    expect(metadata.labels).toMatchObject({ grafana_dashboard: '1', dashboard: 'yes' });
  });

  test.each([
    ['everything', 'elections here'],
    ['own-secrets', 'leases/elections-coordination-apiserver'],
  ])(
    'the PrometheusRule of %s is deploy/prometheus/alerts.yaml for the job that the ServiceMonitor gives the servers, %s',
    async (name, job) => {
      const manifests = new Manifests(await programs.template('elections', values(name)));
      const alerts = readFileSync(path.join(root, 'deploy/prometheus/alerts.yaml'), 'utf8');
      expect(manifests.one('PrometheusRule').spec).toEqual(parse(alerts.replaceAll('job="coordination-apiserver"', `job="${job}"`)));
      const { endpoints } = manifests.one('ServiceMonitor').spec as unknown as { endpoints: { relabelings: object[] }[] };
      expect(endpoints.map(({ relabelings }) => relabelings)).toEqual([[{ targetLabel: 'job', replacement: job }]]);
    },
  );

  test('the token given to Prometheus belongs to the user with no rights but reading metrics', async () => {
    const manifests = new Manifests(await programs.template('elections', values('everything')));
    const { credentials } = manifests.one('ServiceMonitor').spec.endpoints[0]!.authorization;
    const secret = manifests.kind('Secret').find(({ metadata }) => metadata.name === credentials.name);
    const token = secret?.stringData?.[credentials.key ?? ''] ?? '';
    expect(token).toMatch(/^\w{48}$/);
    expect(secret?.stringData?.['tokens.csv']).toBe(`${token},prometheus,prometheus,"system:monitoring"`);
  });

  test('an object that does not match its type is reported', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: { port: [], ports: [{ port: 'https' }] } };
    const { code, stdout } = await programs.check(JSON.stringify(service));
    expect([code, stdout]).toEqual([1, expect.stringMatching(/cannot unmarshal string.*port|unknown field "spec.port"/)]);
    expect(() => commandSettings({ args: ['serve', '--no-such'], environment: {} })).toThrow('serve has no flag --no-such');
    expect(() => commandSettings({ args: ['migrate', 'up'], environment: { COORDINATION_APISERVER_PORT: '1' } })).toThrow(
      'unknown environment',
    );
    expect(selects({}, { a: 'b' })).toBe(false);
  });
});
