import { Carillon, forwardTo } from '@carillon/client';
import { fossil } from '@carillon/client/fossil';

const query = location.search;

/** Sends a request to the app's own server. */
export async function tell(path, body) {
  const answer = await fetch(`${path}${query}`, { method: 'POST', body: JSON.stringify(body ?? {}) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

export const settings = await (await fetch(`/settings${query}`)).json();

/** The client of the page. */
export const client = new Carillon({
  key: settings.key,
  url: settings.url,
  token: async () => (await tell('/token')).token,
  authorize: `/authorize${query}`,
  api: forwardTo(`/carillon${query}`),
  deltas: [fossil],
}).connect();

client.on('state', ({ current }) => {
  document.querySelector('#state').textContent = current;
});

/** Fills an element with one line a thing. */
export function lines(selector, things) {
  const items = things.map((text) => {
    const item = document.createElement('li');
    item.textContent = text;
    return item;
  });
  document.querySelector(selector).replaceChildren(...items);
}

/** Calls `said` with the text submitted in a one-field form, and clears the field. */
export function onForm(selector, said) {
  document.querySelector(selector).addEventListener('submit', (event) => {
    event.preventDefault();
    const field = event.target.querySelector('input');
    said(field.value);
    field.value = '';
  });
}
