import { durableHoldsUnder } from './whole-installation.js';

durableHoldsUnder(() => true, true, 10);
