import { deliveries } from './fanout.js';

/** Many channels with few subscribers each. @type {import('./metrics.js').Scenario} */
export const fanoutMany = {
  ...deliveries,
  name: 'fanout-many',
  summary: 'many channels with few subscribers each, published to in turn',
  defaults: { connections: 1000, channels: 250, rate: 1000 },
};
