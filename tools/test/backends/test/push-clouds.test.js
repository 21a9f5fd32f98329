import { expect, it } from 'vitest';
import { engine, whyMissing } from '../src/index.js';

it.runIf(whyMissing('push-clouds') === null)(
  'the clouds for notifications know what their providers answer',
  async () => {
    const { url } = await engine('push-clouds');
    const answer = await fetch(url, { method: 'POST', body: '{"do":"about"}' });
    const { authority, answers } = /** @type {{ authority: string, answers: object }} */ (
      await answer.json()
    );
    expect(authority).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(Object.keys(answers).sort()).toEqual(['apns', 'fcm', 'hms', 'webpush', 'wns']);
  },
);
