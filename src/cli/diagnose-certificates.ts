import type { Diagnosis } from '../storage/maintenance/diagnosis/diagnosis.js';

/** Warns of certificates that end within two weeks. A start issues the server's own again, half a year before it ends. */
export async function diagnoseCertificates(dir: string, now = Date.now()): Promise<Diagnosis[]> {
  const { readCertificates } = await import('../server/tls/certificate-report.js');
  const certificates = readCertificates(dir, now);
  if (certificates.length === 0) {
    return [{ check: 'certificates', state: 'ok', detail: `none in ${dir}: a server's first start creates them` }];
  }
  return certificates.map(({ name, daysLeft }) => {
    const state = daysLeft < 0 ? 'problem' : daysLeft < 14 ? 'warning' : 'ok';
    const detail = daysLeft < 0 ? `expired ${-daysLeft} days ago` : `expires in ${daysLeft} days`;
    const remedy = state === 'ok' || name !== 'apiserver' ? '' : ': restart the server, which issues a new one';
    return { check: `certificate ${name}`, state, detail: `${detail}${remedy}` };
  });
}
