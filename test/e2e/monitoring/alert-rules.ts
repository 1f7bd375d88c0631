import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export const ALERTS = path.resolve(import.meta.dirname, '../../../deploy/prometheus/alerts.yaml');

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** The rules of deploy/prometheus/alerts.yaml. */
export function alertRules(): AlertRule[] {
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Values of series, by the name of a metric with its labels but `job`, in promtool's notation and a minute apart. */
type Series = Readonly<Record<string, string>>;

interface RuleCase {
  readonly sick: Series;
  readonly well: Series;
  /** Labels of the alert besides `job` and `severity`. */
  readonly labels?: Readonly<Record<string, string>>;
}

const NEVER = '0x60';
const ALWAYS = '1x60';
const OFTEN = '0+60x60';
const A = { instance: 'a' };

/** A gauge of the server a. */
function gauge(name: string, sick: number, well: number, labels = ''): Pick<RuleCase, 'sick' | 'well'> {
  const series = `${name}{instance="a"${labels}}`;
  return { sick: { [series]: `${sick}x60` }, well: { [series]: `${well}x60` } };
}

/** A histogram of the server a, all of whose observations are above or below a bound. */
function histogram(name: string, bound: number, labels = ''): Pick<RuleCase, 'sick' | 'well'> {
  const series = (le: number | string): string => `${name}_bucket{instance="a"${labels},le="${le}"}`;
  const above = { [series(bound * 4)]: OFTEN, [series('+Inf')]: OFTEN };
  return { sick: { ...above, [series(bound)]: NEVER }, well: { ...above, [series(bound)]: OFTEN } };
}

/** What each alert fires for, and what it does not. */
export const RULE_CASES: Readonly<Record<string, RuleCase>> = {
  CoordinationServerDown: { ...gauge('up', 0, 1), labels: A },
  CoordinationAllServersDown: {
    sick: { 'up{instance="a"}': NEVER, 'up{instance="b"}': NEVER },
    well: { 'up{instance="a"}': NEVER, 'up{instance="b"}': ALWAYS },
  },
  CoordinationRenewalsSlow: histogram('apiserver_request_sli_duration_seconds', 1, ',resource="leases",verb="PUT"'),
  CoordinationRequestsFail: {
    sick: { 'apiserver_request_total{code="503"}': OFTEN, 'apiserver_request_total{code="200"}': NEVER },
    well: { 'apiserver_request_total{code="503"}': NEVER, 'apiserver_request_total{code="200"}': '0+120000x60' },
  },
  CoordinationCommitsSlow: { ...histogram('coordination_commit_duration_seconds', 0.5), labels: A },
  CoordinationOldTransaction: gauge('coordination_database_oldest_transaction_seconds', 400, 1),
  CoordinationClocksDiffer: {
    sick: {
      'coordination_database_clock_ahead_seconds{instance="a"}': '1.5x60',
      'coordination_database_clock_ahead_seconds{instance="b"}': '-1.5x60',
    },
    well: {
      'coordination_database_clock_ahead_seconds{instance="a"}': '1.5x60',
      'coordination_database_clock_ahead_seconds{instance="b"}': ALWAYS,
    },
  },
  CoordinationCommitsFail: {
    sick: { 'coordination_batches_total{instance="a",outcome="unclear"}': OFTEN },
    well: { 'coordination_batches_total{instance="a",outcome="committed"}': OFTEN },
    labels: { ...A, outcome: 'unclear' },
  },
  CoordinationFeedLags: { ...gauge('coordination_feed_lag_seconds', 20, 1), labels: A },
  CoordinationNotListening: { ...gauge('coordination_database_listening', 0, 1), labels: A },
  CoordinationWatchesTooSlow: {
    sick: {
      'coordination_watches_ended_total{instance="a",reason="slow"}': NEVER,
      'coordination_client_limits_total{instance="a",limit="user_bytes"}': OFTEN,
    },
    well: {
      'coordination_watches_ended_total{instance="a",reason="slow"}': NEVER,
      'coordination_watches_ended_total{instance="a",reason="client"}': OFTEN,
      'coordination_client_limits_total{instance="a",limit="user_bytes"}': NEVER,
    },
    labels: A,
  },
  CoordinationMaintenanceFails: {
    sick: { 'coordination_maintenance_total{outcome="done"}': NEVER, 'coordination_maintenance_total{outcome="failed"}': OFTEN },
    well: { 'coordination_maintenance_total{outcome="done"}': OFTEN, 'coordination_maintenance_total{outcome="busy"}': OFTEN },
  },
  CoordinationNoLeader: gauge('leader_election_master_status', 0, 1),
  CoordinationDatabaseConnectionsUsedUp: { ...gauge('coordination_database_waiting_reads', 20, 1), labels: A },
  CoordinationTooManyRefusedCredentials: {
    sick: { 'authentication_attempts{result="error"}': '0+600x60' },
    well: { 'authentication_attempts{result="success"}': '0+600x60', 'authentication_attempts{result="error"}': '0+6x60' },
  },
  CoordinationLeaseRefusedAndNotHeld: gauge('coordination_leases_refused_and_not_held', 2, 0, ',cause="NotAllowed"'),
  CoordinationLeaseNotTaken: {
    sick: { 'coordination_leases_overdue{kind="election"}': ALWAYS },
    well: { 'coordination_leases_overdue{kind="election"}': NEVER, 'coordination_leases_overdue{kind="heartbeat"}': ALWAYS },
  },
  CoordinationHeartbeatsStopped: gauge('coordination_leases_overdue', 1, 0, ',kind="heartbeat"'),
  CoordinationLeasesFlap: {
    sick: { 'coordination_leases_flapping{kind="election"}': ALWAYS },
    well: { 'coordination_leases_flapping{kind="election"}': NEVER, 'coordination_leases_flapping{kind="released"}': ALWAYS },
  },
  CoordinationEventLoopLate: { ...gauge('nodejs_eventloop_lag_p99_seconds', 0.5, 0.05), labels: A },
};

/** promtool's `input_series` for servers that are scraped as this job. */
export function seriesOf(job: string, series: Series): { readonly series: string; readonly values: string }[] {
  return Object.entries(series).map(([name, values]) => ({ series: name.replace('{', `{job="${job}",`), values }));
}
