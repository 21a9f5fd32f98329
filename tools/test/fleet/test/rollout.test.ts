import { rollsForwardAndBack } from './rollout-scenario.js';

rollsForwardAndBack('postgres');
