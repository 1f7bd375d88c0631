import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { defaultSettings, allSettings } from '../../src/server/config/server-settings.js';
import { describeWith, GO } from '../clients/toolchain.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { DATABASE, DeployPrograms, IMAGE, values } from './deploy-programs.js';
import { Manifests } from './manifests.js';

/** The values that have no default. */
const REQUIRED = {
  image: { repository: 'coordination-apiserver' },
  database: { url: 'postgresql://coordination@postgresql:5432/coordination' },
};
const chart = path.resolve(import.meta.dirname, '../../deploy/helm/coordination-apiserver');

describeWith([GO], 'Values of the chart', () => {
  const scratch = scratchDirectory();
  let programs: DeployPrograms;
  beforeAll(async () => {
    programs = await DeployPrograms.build();
  }, 600_000);

  const render = async (content: object) => {
    const file = path.join(scratch, 'values.yaml');
    writeFileSync(file, JSON.stringify({ ...REQUIRED, ...content }));
    return programs.helm(['template', 'elections'], '--namespace=leases', `--values=${file}`);
  };
  const rendered = async (content: object) => {
    const { stdout, stderr } = await render(content);
    expect(stderr).toBe('');
    return stdout;
  };

  test.each<readonly [object, RegExp]>([
    [{ replica: 2 }, /additional properties 'replica' not allowed/],
    [{ image: { repository: '' } }, /image.repository is required/],
    [{ database: {} }, /database.url is required, such as \S+, or database.urlSecret.name/],
    [{ networkPolicy: { databasePorts: ['text'] } }, /\/networkPolicy\/databasePorts\/0/],
    [
      { image: { repository: 'r.example/ca:1.2' } },
      /image.repository must not end with a tag or a digest: give them as image.tag or image.digest/,
    ],
    [{ database: { url: 'db.example' } }, /database.url must be a URL such as postgresql:/],
    [{ database: { url: 'postgresql://a@b/c', urlSecret: { name: 'd' } } }, /database.url does not go with database.urlSecret/],
    [
      { backup: { database: { url: 'postgresql://a@b/c', urlSecret: { name: 'd' } } } },
      /backup.database.url does not go with backup.database.urlSecret/,
    ],
    [{ database: { caSecret: { name: 'a' }, urlSecret: { name: 'b' } } }, /caSecret does not go with urlSecret/],
    [{ config: { 'event-tll': '2h' } }, /at '\/config': additional properties 'event-tll' not allowed/],
    [{ config: { 'event-ttl': '2x' } }, /\/config\/event-ttl/],
    [{ config: { 'max-objects': 'many' } }, /\/config\/max-objects/],
    [{ config: { 'swagger-ui': 'maybe' } }, /\/config\/swagger-ui/],
    [{ config: { 'log-level': 'loud' } }, /\/config\/log-level/],
    [{ config: { 'authorization-mode': ['RBCA'] } }, /\/config\/authorization-mode\/0/],
    [{ config: { 'authorization-mode': 'Node,RBCA' } }, /\/config\/authorization-mode.*'Node,RBCA' does not match/],
    [{ config: { 'tls-san': ['a'] } }, /config.tls-san is set by the chart: give further names as tls.names/],
    [{ config: { 'data-dir': '/elsewhere' } }, /config.data-dir is set by the chart: it is always \/data/],
    [{ config: { 'secure-port': 8443 } }, /config.secure-port is set by the chart: the pods always listen on 6443; service.port is/],
    [{ backup: { enabled: true, schedule: 'daily' } }, /backup.schedule is "daily": it must have the five fields of cron/],
    [{ backup: { enabled: true, schedule: '0 17 3 * * *' } }, /backup.schedule is "0 17 3 \* \* \*": it must have the five fields/],
    [{ backup: { enabled: true, schedule: '@dayly' } }, /backup.schedule is "@dayly"/],
    [{ extraEnv: [{ name: 'COORDINATION_APISERVER_EVENT_TLL', value: '2h' }] }, /\/extraEnv\/0\/name/],
    [{ podLabels: { 'app.kubernetes.io/component': 'other' } }, /\/podLabels/],
    [{ gateway: { enabled: true, parentRefs: [{ name: 'public' }] } }, /gateway.hostnames is required with gateway.enabled/],
    [{ gateway: { enabled: true, hostnames: ['a.example'] } }, /gateway.parentRefs is required with gateway.enabled/],
    [{ ingress: { enabled: true, annotations: { a: 'b' } } }, /ingress.hosts is required with ingress.enabled/],
    [{ ingress: { enabled: true, hosts: ['a.example'] } }, /ingress.annotations is required .* pass TLS through, such as haproxy/],
    [{ behindCluster: { enabled: true } }, /behindCluster needs FrontProxy in config.authorization-mode/],
    [
      { behindCluster: { enabled: true }, config: { 'authorization-mode': ['FrontProxy'], 'cluster-kubeconfig': 'in-cluster' } },
      /config.cluster-kubeconfig is set by the chart: with behindCluster.enabled it is in-cluster/,
    ],
    [{ tls: { certManager: { enabled: true } } }, /tls.certManager.issuerRef.name is required with tls.certManager.enabled/],
  ])('%j is refused by name', async (content, reason) => {
    const { code, stderr } = await render(content);
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });

  test.each([
    [{ url: 'postgresql://user:hidden@host/database' }],
    [{ url: 'postgresql://user:hid/den@host/database' }],
    [{ url: 'postgresql://user@host/database?sslmode=require&password=hidden' }],
  ])('a password in %j is refused in one sentence without it, wherever the URL is', async (database) => {
    for (const [name, content] of [
      ['database', { database }],
      ['migrations.database', { migrations: { database } }],
      ['backup.database', { backup: { enabled: true, database } }],
    ] as const) {
      const { code, stderr } = await render(content);
      const reason = `${name}.url has a password: put the password into the Secret that ${name}.passwordSecret names`;
      expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
      expect(stderr).not.toMatch(/hid|allOf/);
    }
  });

  test('each setting that the chart makes is refused with what to do instead', async () => {
    const config = { 'authorization-mode': ['FrontProxy', 'RBAC'] };
    const everything = { behindCluster: { enabled: true }, monitoring: { serviceMonitor: { enabled: true } }, config };
    const rendering = async (content: object) => {
      const maps = new Manifests(await rendered(content)).kind('ConfigMap');
      return Object.keys(parse(maps[0]?.data?.['config.yaml'] ?? '') as object);
    };
    const withTls = { ...everything, tls: { secretName: 'a' } };
    let refused = 0;
    for (const content of [everything, withTls]) {
      for (const name of (await rendering(content)).filter((each) => each !== 'authorization-mode')) {
        const { stderr } = await render({ ...content, config: { ...config, [name]: defaultsOf(name) } });
        expect(stderr).toMatch(new RegExp(`config.${name} is set by the chart[:,] \\w+`));
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(12);
  });

  test.each([['17 3 * * *'], ['*/5 0-6,22 1 JAN-MAR mon,fri'], ['@daily'], ['@every 1h30m']])(
    'backups may be made at %j',
    async (schedule) => {
      await rendered({ backup: { enabled: true, schedule } });
    },
  );

  test.each<readonly [object, number[]]>([
    [{}, [5432]],
    [{ database: { url: 'postgresql://c@db:6432/c' } }, [6432]],
    [{ database: { url: 'postgresql://c@db/c?application_name=a:7' } }, [5432]],
    [{ database: { url: 'postgresql://c@a:5433,b,[fd00::1]:5434/c?target_session_attrs=read-write' } }, [5433, 5432, 5434]],
    [{ database: { url: 'postgresql://c@/c?host=a,b&port=5433,5434' } }, [5433, 5434]],
    [{ networkPolicy: { databasePorts: [6432] } }, [6432, 5432]],
    [{ database: { urlSecret: { name: 'a' } } }, [5432]],
    [{ database: { urlSecret: { name: 'a' } }, networkPolicy: { databasePorts: [6432] } }, [6432]],
    [{ migrations: { database: { url: 'postgresql://owner@db:5433/c' } } }, [5432, 5433]],
    [{ backup: { enabled: true, database: { url: 'postgresql://c@standby:5434/c' } } }, [5432, 5434]],
    [{ backup: { database: { url: 'postgresql://c@standby:5434/c' } } }, [5432]],
  ])('%j lets the pods reach PostgreSQL at %j', async (content, ports) => {
    const { egress } = new Manifests(await rendered(content)).one('NetworkPolicy').spec;
    expect(egress[1]?.ports).toEqual(ports.map((port) => ({ port, protocol: 'TCP' })));
  });

  test('a Job with a URL of its own uses no Secret with a URL', async () => {
    const text = await rendered({
      database: { urlSecret: { name: 'servers' } },
      migrations: { database: { url: 'postgresql://owner@db:5433/c' } },
    });
    expect(text).toContain('"--database-url=postgresql://owner@db:5433/c"');
    expect(text.match(/name: servers$/gm)).toHaveLength(1);
  });

  test('the notes say where to keep the generated key: apart from the backups', async () => {
    // Helm renders the notes only with a cluster, so a copy of the chart has them in an object.
    const copy = path.join(scratch, 'chart');
    cpSync(chart, copy, { recursive: true });
    renameSync(path.join(copy, 'templates/NOTES.txt'), path.join(copy, 'files/NOTES.txt'));
    writeFileSync(path.join(copy, 'templates/notes.yaml'), 'notes: {{ tpl (.Files.Get "files/NOTES.txt") . | toJson }}\n');
    const { stdout, stderr } = await programs.run('helm', ['template', 'elections', copy, '--kube-version=1.37.0', IMAGE, DATABASE]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/Keep a copy of the Secret elections-coordination-apiserver-secrets-key, apart from your database backups/);
  });

  test('durations may be days', async () => {
    expect((await render({ config: { 'term-history': '30d', 'event-ttl': '7d' } })).stderr).toBe('');
    expect((await render({ config: { 'term-history': '1d12h' } })).stderr).toMatch(/\/config\/term-history/);
  });

  test('lists may be text', async () => {
    const content = { behindCluster: { enabled: true }, config: { 'authorization-mode': 'FrontProxy,RBAC' } };
    expect((await render(content)).stderr).toBe('');
  });

  test('every setting may have its default, in the notations of the server', async () => {
    const defaults: Readonly<Record<string, unknown>> = { ...defaultSettings() };
    const made = [
      'secure-port',
      'anonymous-auth-paths',
      'secrets-key-file',
      'database-url',
      'database-password-file',
      'data-dir',
      'tls-san',
    ];
    const settings = allSettings().filter(({ name }) => !made.includes(name));
    const given = (kind: string, value: unknown): unknown => (kind === 'duration' ? `${Number(value)}ms` : value);
    const texts = (kind: string, value: unknown): string => (kind === 'duration' ? `${Number(value) / 1000}s` : String(value));
    await rendered({ config: Object.fromEntries(settings.map(({ name, kind, property }) => [name, given(kind, defaults[property])])) });
    await rendered({ config: Object.fromEntries(settings.map(({ name, kind, property }) => [name, texts(kind, defaults[property])])) });
    expect(settings.length).toBeGreaterThan(50);
  });

  const OPT_INS: Readonly<Record<string, readonly [values: object, kinds: readonly string[]]>> = {
    backup: [{ backup: { enabled: true } }, ['CronJob', 'CronJob', 'PersistentVolumeClaim']],
    'backup to a volume': [{ backup: { enabled: true, volume: { emptyDir: {} } } }, ['CronJob', 'CronJob']],
    'behind the cluster': [
      { behindCluster: { enabled: true }, config: { 'authorization-mode': ['FrontProxy', 'RBAC'] } },
      ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'RoleBinding'],
    ],
    'reviews of the cluster, with an account of the user': [
      {
        behindCluster: { enabled: true, reviews: true },
        serviceAccountName: 'leases',
        config: { 'authorization-mode': ['FrontProxy', 'Webhook'], 'authorization-webhook-config-file': 'cluster' },
      },
      ['ClusterRole', 'ClusterRoleBinding', 'ClusterRoleBinding', 'RoleBinding'],
    ],
    gateway: [{ gateway: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['a.example'] } }, ['TLSRoute']],
    ingress: [{ ingress: { enabled: true, hosts: ['a.example'], annotations: { a: 'b' } } }, ['Ingress']],
    'cert-manager': [{ tls: { certManager: { enabled: true, issuerRef: { name: 'a' } } } }, ['Certificate']],
    'service monitor': [{ monitoring: { serviceMonitor: { enabled: true } } }, ['Secret', 'ServiceMonitor']],
    alerts: [{ monitoring: { prometheusRule: { enabled: true } } }, ['PrometheusRule']],
    dashboard: [{ monitoring: { grafanaDashboard: { enabled: true } } }, ['ConfigMap']],
  };

  test.each(Object.entries(OPT_INS))('%s alone adds valid objects', async (_, [content, kinds]) => {
    const text = await rendered(content);
    expect((await programs.check(text)).stdout).toMatch(/^\d+ valid, 0 not\n$/);
    const usual = new Manifests(await rendered({})).all.map(({ kind }) => kind);
    const now = new Manifests(text).all.map(({ kind }) => kind);
    expect(now.toSorted()).toEqual([...usual, ...kinds].toSorted());
  });

  test('certificates of the servers and of cert-manager have the same names, those of the routes included', async () => {
    const routes = {
      gateway: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['a.example', 'b.example'] },
      ingress: { enabled: true, hosts: ['b.example'], annotations: { a: 'b' } },
    };
    const service = 'elections-coordination-apiserver';
    const names = ['', '.leases', '.leases.svc', '.leases.svc.cluster.local'].map((domain) => `${service}${domain}`);
    const config = (manifests: Manifests) => parse(manifests.kind('ConfigMap')[0]?.data?.['config.yaml'] ?? '') as Record<string, unknown>;
    const own = config(new Manifests(await rendered({ ...routes, tls: { names: ['c.example'] } })));
    expect(own).toMatchObject({ 'tls-san': [...names, 'c.example', 'a.example', 'b.example'], 'max-connections-per-address': 0 });
    const certManager = { enabled: true, issuerRef: { name: 'internal' } };
    const managed = new Manifests(await rendered({ ...routes, tls: { names: ['c.example'], certManager } }));
    expect(managed.one('Certificate').spec.dnsNames).toEqual(own['tls-san']);
    expect(config(managed)).not.toHaveProperty('tls-san');
    const limited = await rendered({ ...routes, config: { 'max-connections-per-address': 7 } });
    expect(config(new Manifests(limited))).toMatchObject({ 'max-connections-per-address': 7 });
  });

  test("the authority of the database's certificate makes the connection verified", async () => {
    const own = await programs.template('elections', values('own-secrets'));
    const url = 'postgresql://leases@db-rw.databases:5432/leases?application_name=leases';
    const verified = `${url}&sslmode=verify-full&sslrootcert=/database-authority/authority.pem`;
    expect(own).toContain(`database-url: ${verified}\n`);
    expect(own).toContain(`"--database-url=${verified}"`);
    const chosen = await rendered({ database: { url: 'postgresql://a@b/c?sslmode=verify-ca', caSecret: { name: 'ca' } } });
    expect(chosen).toContain('database-url: postgresql://a@b/c?sslmode=verify-ca&sslrootcert=/database-authority/ca.crt\n');
  });

  test('the example for CloudNativePG uses the names that the operator gives Secrets and Services', () => {
    const read = (file: string): string => readFileSync(path.join(chart, 'examples', file), 'utf8');
    const cluster = new Manifests(read('cloudnative-pg.yaml')).one('Cluster') as unknown as ClusterExample;
    const { name } = cluster.metadata;
    const { database, owner } = cluster.spec.bootstrap.initdb;
    const url = (service: string) => `postgresql://${owner}@${name}-${service}:5432/${database}`;
    expect(parse(read('cloudnative-pg-values.yaml'))).toMatchObject({
      database: { url: url('rw'), passwordSecret: { name: `${name}-app` }, caSecret: { name: `${name}-ca` } },
      backup: { database: { url: url('ro') } },
      networkPolicy: { databaseTo: [{ podSelector: { matchLabels: { 'cnpg.io/cluster': name } } }] },
    });
  });

  test('a chosen anti-affinity replaces that of the chart', async () => {
    const affinity = async (content: object) => new Manifests(await rendered(content)).one('Deployment').spec.template.spec.affinity;
    const usual = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100 }] } };
    expect(await affinity({ affinity: { nodeAffinity: { a: [] } } })).toMatchObject({ nodeAffinity: { a: [] }, ...usual });
    expect(await affinity({ affinity: { podAntiAffinity: {} } })).toEqual({ podAntiAffinity: {} });
  });

  test('an image can be named by its digest', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(await programs.template('elections', IMAGE, DATABASE, `--set=image.digest=${digest}`)).toContain(
      `image: "coordination-apiserver@${digest}"`,
    );
  });
});

/** The default of a setting. */
function defaultsOf(name: string): unknown {
  const setting = allSettings().find((each) => each.name === name);
  return setting && { ...defaultSettings() }[setting.property];
}

interface ClusterExample {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly bootstrap: { readonly initdb: { readonly database: string; readonly owner: string } } };
}
