import { configuration } from '@carillon/testing';
import { Logger, Metrics } from '@carillon/runtime';
import { describe, expect, it } from 'vitest';
import { historyHealth } from '../src/history-health.js';

const metrics = () => new Metrics({ prefix: '', port: 1, log: new Logger('test', 'off', () => {}) });

describe('the state of histories in the statistics', () => {
  it('is off where none are kept', () => {
    const off = { enabled: false, backend: 'disabled', state_authority: 'disabled', degraded_channels: 0 };
    const source = historyHealth(configuration({}), metrics());
    expect(source.history()).toMatchObject(off);
    expect(source.presenceHistory()).toMatchObject(off);
  });

  it('counts channels that are not healthy, those that need a reset among them, over all apps', () => {
    const shown = metrics();
    shown.gauge('history_degraded_channels').for({ app_id: 'a' }).set(2);
    shown.gauge('history_degraded_channels').for({ app_id: 'b' }).set(1);
    shown.gauge('history_reset_required_channels').for({ app_id: 'a' }).set(4);
    shown.gauge('history_queue_depth').for({ app_id: 'a' }).set(5);
    expect(historyHealth(configuration({ HISTORY_ENABLED: 'true' }), shown).history()).toEqual({
      enabled: true,
      backend: 'postgres',
      state_authority: 'durable_store',
      degraded_channels: 7,
      reset_required_channels: 4,
      queue_depth: 5,
    });
  });

  it('is in memory for presence alone', () => {
    const source = historyHealth(configuration({ PRESENCE_HISTORY_ENABLED: 'true' }), metrics());
    expect(source.presenceHistory()).toMatchObject({
      enabled: true,
      backend: 'memory',
      state_authority: 'in_memory',
    });
  });
});
