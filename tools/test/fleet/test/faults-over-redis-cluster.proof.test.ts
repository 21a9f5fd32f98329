import { holdsUnder } from './whole-fleet.js';

holdsUnder('redis-cluster', ['kill-gateway', 'restart-store']);
