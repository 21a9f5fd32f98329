import { client, lines, onForm, tell } from './common.js';

const room = client.subscribe('ai-room', { rewind: 20 });
// Earlier messages arrive in their current state; a message that is still streaming continues from there.
const live = room.live();
live.on('change', (messages) =>
  lines(
    '#messages',
    messages.map(({ raw }) => String(raw)),
  ),
);

onForm('#ask', (question) => void tell('/ask', { channel: 'ai-room', question }));
Object.assign(globalThis, { live, room, client });
