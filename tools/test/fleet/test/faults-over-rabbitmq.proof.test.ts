import { holdsUnder } from './whole-fleet.js';

holdsUnder('rabbitmq', ['kill-gateway', 'cut-node']);
