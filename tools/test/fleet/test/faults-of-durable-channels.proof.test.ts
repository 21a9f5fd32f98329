import { durableHoldsUnder, EVERY_CHANGE } from './whole-installation.js';

durableHoldsUnder((name) => !EVERY_CHANGE.has(name));
