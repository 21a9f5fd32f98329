import { restarts } from './broker-restart.js';
import { REAL_WIRES } from './wires.js';

restarts(REAL_WIRES.filter(({ engine, routing }) => engine !== null && routing === 'broadcast'));
