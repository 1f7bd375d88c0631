import { conformanceSuite } from './replay/conformance-suite.js';

// Recorded from a release that no longer knew v1alpha1.
conformanceSuite('list', { versions: ['coordination.k8s.io/v1alpha1=false'] });
