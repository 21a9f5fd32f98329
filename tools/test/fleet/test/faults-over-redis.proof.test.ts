import { holdsUnder } from './whole-fleet.js';

holdsUnder('redis', ['kill-gateway', 'everyone-leaves', 'restart-broker', 'freeze-long', 'hostile-peer']);
