import { holdsUnder } from './whole-fleet.js';

holdsUnder('omq', ['kill-gateway', 'freeze-short', 'rolling-restart']);
