import { itPassesFiveCases } from './it-passes-five-cases.js';

itPassesFiveCases('client-go');
itPassesFiveCases('controller-runtime');
itPassesFiveCases('Python');
