import { client, onForm, settings, tell } from './common.js';

const LIKES = 'reactions:distinct.v1';
const lobby = client.subscribe('presence-lobby', { rewind: 50 });
const live = lobby.live({ belongs: ({ event, name }) => event === 'said' || name === 'said' });

live.on('change', (messages) => {
  const items = messages.map(({ serial, data, summary, isDeleted }) => {
    const item = document.createElement('li');
    const likes = summary[LIKES]?.like?.total ?? 0;
    item.textContent = `${data.user}: ${isDeleted ? '(deleted)' : data.said}${likes > 0 ? ` ♥ ${likes}` : ''}`;
    item.addEventListener('click', () => {
      void lobby.annotations.create(serial, { type: LIKES, name: 'like', clientId: settings.user });
    });
    return item;
  });
  document.querySelector('#messages').replaceChildren(...items);
});

lobby.presence.on('change', (members) => {
  document.querySelector('#members').textContent = members.map(({ id }) => id).join(', ');
});

let quiet = 0;
lobby.bind('client-typing', (_, { userId }) => {
  if (userId === settings.user) return;
  document.querySelector('#typing').textContent = `${userId} is typing`;
  clearTimeout(quiet);
  quiet = setTimeout(() => (document.querySelector('#typing').textContent = ''), 1000);
});
document.querySelector('#say input').addEventListener('input', () => {
  void lobby.send('client-typing', {}, { ephemeral: true, echo: false });
});

onForm('#say', (said) => void tell('/say', { channel: 'presence-lobby', said }));
Object.assign(globalThis, { live, lobby, client });
