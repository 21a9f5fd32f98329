import { App } from '@carillon/app-registry';
import { Channels } from '@carillon/channels';
import { parseAppRecord } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { ONLINE_USERS } from '../src/index.js';
import { configuration } from '@carillon/testing';

const globals = configuration();

function appWith(channels: object): App {
  const parsed = parseAppRecord({ id: 'shop', key: 'key', secret: 'secret', policy: { channels } }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return new App(parsed.record, globals);
}

describe('the channel of the signed-in users', () => {
  it.each([
    ['no namespaces', {}],
    ['a namespace', { channel_namespaces: [{ name: 'chat', channel_name_pattern: '.*' }] }],
  ])('is no channel name in an app with %s', (_, channels) => {
    const app = appWith(channels);
    const judge = new Channels(globals);
    const verdicts = [
      judge.subscription(app, ONLINE_USERS, 1),
      judge.subscription(app, ONLINE_USERS, 2),
      judge.subscription(app, `[meta]${ONLINE_USERS}`, 2),
      judge.publishTarget(app, ONLINE_USERS),
    ];
    expect(verdicts.map((verdict) => verdict.accepted || verdict.reason)).toEqual(
      verdicts.map(() => 'characters'),
    );
    // So it is the name that is refused, not everything.
    expect(judge.subscription(app, 'online-users', 1)).toMatchObject({ accepted: true });
  });
});
