import { rollsForwardAndBack } from './rollout-scenario.js';

rollsForwardAndBack('mysql');
