import type { CertificateReport } from '../server/tls/certificate-report.js';
import { StartError } from '../settings/start-error.js';
import type { Diagnosis } from '../storage/maintenance/diagnosis/diagnosis.js';

/** Warns of certificates that cannot be used or end within two weeks. A start issues the server's own again, half a year before it ends. */
export async function diagnoseCertificates(dir: string, now = Date.now()): Promise<Diagnosis[]> {
  const { readCertificates } = await import('../server/tls/certificate-report.js');
  let certificates: readonly CertificateReport[];
  try {
    certificates = readCertificates(dir, now);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [{ check: 'certificates', state: 'problem', detail: error.message }];
  }
  if (certificates.length === 0) {
    return [{ check: 'certificates', state: 'ok', detail: `none in ${dir}: a server's first start creates them` }];
  }
  return certificates.map(({ name, daysLeft, problem }) => {
    const check = `certificate ${name}`;
    if (problem !== undefined) return { check, state: 'problem', detail: problem };
    if (daysLeft >= 14) return { check, state: 'ok', detail: `expires in ${daysLeft} days` };
    const remedy = name === 'apiserver' ? ': restart the server, which issues a new one' : '';
    return { check, state: 'warning', detail: `expires in ${daysLeft} days${remedy}` };
  });
}
