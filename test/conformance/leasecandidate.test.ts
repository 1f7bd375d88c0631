import { conformanceSuite } from './replay/conformance-suite.js';

// Recorded from a release that no longer knew v1alpha1.
conformanceSuite('leasecandidate', { versions: ['coordination.k8s.io/v1alpha1=false'] });
